"""Registry entries for measures that need the ranker's scores: expected search length, Swets and Brookes."""

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
        meaning="Expected number of irrelevant papers you read before you have seen every relevant paper, if tied "
        "papers are read in random order.",
        misleads="A single late paper determines the value. Nearly tied scores count as a definite order.",
        formula=r"j + \frac{i \, s}{m + 1}",
        worked="3 + 1 * 1 / (1 + 1)",
        compute=expected_search_length,
    ),
    Measure(
        name="swets",
        label="Swets",
        unit="standard deviations",
        range="unbounded, 0 if the means are equal",
        natural_order="–",  # noqa: RUF001
        scales=None,
        needs="scores",
        source="Swets, Science 1963; Krichel, IP&M 2007",
        meaning="Distance between the mean scores of relevant and other papers, in standard deviations.",
        misleads="A few extreme scores change the value without changing the order. Scores of two rankers may have "
        "different distributions and are then not comparable. Undefined for a single relevant paper.",
        formula=r"\frac{m_1 - m_0}{(s_1 + s_0) / 2}",
        worked="(2.5 / 3 - (-2.5 / 5)) / ((sqrt(31 / 12) + sqrt(0.625)) / 2)",
        compute=swets,
    ),
    Measure(
        name="brookes",
        label="Brookes",
        unit="standard deviations",
        range="unbounded, 0 if the means are equal",
        natural_order="–",  # noqa: RUF001
        scales=None,
        needs="scores",
        source="Brookes, Journal of Documentation 1968; Krichel, IP&M 2007",
        meaning="Like Swets, but in units of the standard deviation of the difference between the scores of a relevant "
        "paper and another paper.",
        misleads="Like Swets, it changes with extreme scores even if the order does not change. Undefined for a single "
        "relevant paper.",
        formula=r"\frac{m_1 - m_0}{\sqrt{s_1^2 + s_0^2}}",
        worked="(2.5 / 3 - (-2.5 / 5)) / sqrt(31 / 12 + 0.625)",
        compute=brookes,
    ),
]
