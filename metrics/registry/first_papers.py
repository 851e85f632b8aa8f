"""Registry entries for top-heavy measures, which give most weight to the first papers."""

from functools import partial

from presort.metrics.batch import Batch, Floats, evaluate_outcome
from presort.metrics.measure import Measure
from presort.metrics.outcome import Outcome
from presort.metrics.reliability import f_measure_each, ranking_reliability_sensitivity_each
from presort.metrics.standard import average_precision, average_precision_each

CUT = 30  # cut-off rank that is used for rankings without a stop point
AMIGO = "Amigó, Gonzalo, Verdejo, SIGIR 2013"
LONG = Outcome([1, 2, 40], n=100)  # longer than the cut, unlike the default example with its 8 papers


def _figures_each(batch: Batch) -> tuple[Floats, ...]:
    return ranking_reliability_sensitivity_each(batch, CUT)


def _reliability_each(batch: Batch) -> Floats:
    return batch.once(_figures_each)[0]


def _sensitivity_each(batch: Batch) -> Floats:
    return batch.once(_figures_each)[1]


def _f_each(batch: Batch) -> Floats:
    reliable, sensitive, *_ = batch.once(_figures_each)
    return f_measure_each(reliable, sensitive)


FIRST_PAPERS = [
    Measure(
        name="average_precision",
        label="Average precision",
        range="mean of i/(n - r + i), i = 1 to r, to 1",
        natural_order="violates",
        scales=False,
        source="scikit-learn, average_precision_score",
        meaning="Precision at each relevant paper, averaged over the relevant papers. The top of the list counts "
        "most, the end hardly at all.",
        misleads="A relevant paper that drops from position 100 to 600 hardly changes the value, although the editor "
        "reads 500 more papers.",
        formula=r"\frac{1}{r} \sum_{i=1}^{r} \frac{i}{p_i}",
        worked="(1 / 1 + 2 / 2 + 3 / 6) / 3",
        compute=average_precision,
        compute_each=average_precision_each,
    ),
    Measure(
        name="reliability_at_30",
        label=f"Reliability of the first {CUT}",
        range="0 to 1; for n of at least 30, at most 0.37 if r is at least 30, less for smaller r",
        natural_order="violates",
        scales=False,
        ignores_tail=True,
        cut=CUT,
        source=AMIGO,
        meaning=f"How far the editor's selection confirms that the first {CUT} papers should be read before all "
        "others. The top positions count most.",
        misleads="In lists of 30 or more papers it never exceeds 0.37, because a ranking also orders the relevant "
        "papers among themselves, and the editor's selection cannot confirm that order. It ignores papers below the "
        "cut.",
        formula=r"R_\succ = T \sum_{p_i \le k} w_i \Big(\frac{1}{1 - w_i} + \frac{1}{1 - T}\Big), \quad "
        r"w_i = \frac{c}{c + p_i - 1} - \frac{c}{c + p_i}, \quad T = \frac{c}{c + k}, \quad c = 7.5, \quad k = 30",
        worked="0.2 * (1 / 8.5) * (1 / (1 - 1 / 8.5) + 1 / 0.8) "
        "+ 0.2 * (7.5 / 80.75) * (1 / (1 - 7.5 / 80.75) + 1 / 0.8)",
        example=LONG,
        compute=partial(evaluate_outcome, _reliability_each),
        compute_each=_reliability_each,
    ),
    Measure(
        name="sensitivity_at_30",
        label=f"Sensitivity of the first {CUT}",
        range="max(0, m + r - n)/r to min(1, m/r), with m = min(30, n)",
        natural_order="violates",
        scales=False,
        ignores_tail=True,
        cut=CUT,
        source=AMIGO,
        meaning=f"Share of the relevant papers that are among the first {CUT}.",
        misleads=f"It ignores the order within the first {CUT} papers and all positions below the cut. With more than "
        f"{CUT} relevant papers it cannot reach 1.",
        formula=r"S_\succ = \frac{|\{i : p_i \le k\}|}{r}, \quad k = 30",
        worked="2 / 3",
        example=LONG,
        compute=partial(evaluate_outcome, _sensitivity_each),
        compute_each=_sensitivity_each,
    ),
    Measure(
        name="f_at_30",
        label=f"F of Reliability and Sensitivity of the first {CUT}",
        range="0 to 1; for n of at least 30, at most 0.54 if r is 30, less for other r",
        natural_order="violates",
        scales=False,
        ignores_tail=True,
        cut=CUT,
        source=AMIGO,
        meaning="Harmonic mean of Reliability and Sensitivity. It is high only if most of the relevant papers are "
        f"among the first {CUT} and close to the top.",
        misleads="The smaller of the two values, nearly always Reliability, dominates. Reports with few relevant "
        "papers score low even for a perfect order, so compare a report only with itself.",
        formula=r"\frac{2 \, R_\succ S_\succ}{R_\succ + S_\succ}",
        worked="2 * 0.0998 * 0.6667 / (0.0998 + 0.6667)",
        example=LONG,
        compute=partial(evaluate_outcome, _f_each),
        compute_each=_f_each,
    ),
]
