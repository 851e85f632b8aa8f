"""Entries of the measures that need the ranker's scores: how far apart, and how tied."""

from presort.metrics.measure import Measure
from presort.metrics.scored import brookes, expected_search_length, swets

SCORED = [
    Measure(
        name="expected_search_length",
        label="Expected search length",
        unit="papers",
        range="n - r to 0",
        higher_is_better=False,
        natural_order="–",  # noqa: RUF001
        scales=False,
        needs="scores",
        source="Cooper, American Documentation 1968; Krichel, IP&M 2007",
        meaning="How many irrelevant papers you read before you have seen every relevant one; ties in random order.",
        misleads="One late paper decides alone. Scores that are nearly but not quite tied count as a clear order.",
        formula=r"j + \frac{i \, s}{m + 1}",
        worked="3 + 1 * 1 / (1 + 1)",
        compute=expected_search_length,
    ),
    Measure(
        name="swets",
        label="Swets",
        unit="standard deviations",
        range="unbounded, 0 for scores that separate nothing",
        natural_order="–",  # noqa: RUF001
        scales=None,
        needs="scores",
        source="Swets, Science 1963; Krichel, IP&M 2007",
        meaning="How far the ranker's scores hold the relevant papers apart from the others, in deviations.",
        misleads="A few papers with extreme scores move it, though no order changes; two rankers' scores need not be "
        "alike in kind. Not defined for a single relevant paper.",
        formula=r"\frac{m_1 - m_0}{(s_1 + s_0) / 2}",
        worked="(2.5 / 3 - (-2.5 / 5)) / ((sqrt(31 / 12) + sqrt(0.625)) / 2)",
        compute=swets,
    ),
    Measure(
        name="brookes",
        label="Brookes",
        unit="standard deviations",
        range="unbounded, 0 for scores that separate nothing",
        natural_order="–",  # noqa: RUF001
        scales=None,
        needs="scores",
        source="Brookes, Journal of Documentation 1968; Krichel, IP&M 2007",
        meaning="Like Swets, but the deviation of the difference itself is the unit.",
        misleads="As Swets: extreme scores move it though no order changes. Not defined for a single relevant paper.",
        formula=r"\frac{m_1 - m_0}{\sqrt{s_1^2 + s_0^2}}",
        worked="(2.5 / 3 - (-2.5 / 5)) / sqrt(31 / 12 + 0.625)",
        compute=brookes,
    ),
]
