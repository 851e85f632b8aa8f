"""Claim: 95 % confidence intervals of *Compare* cover the truth in 94 % of services, or in 92 % with skewed reports.

Run as ``OPENBLAS_NUM_THREADS=1 python -m benchmarks.intervals [--tries 1000] [--kept FOLDER]``. Simulates services with
6, 12, 20 and 65 reports whose lists are correlated within a report. Computes the interval of the mean difference with
sign flips of whole reports (`presort.metrics.sign_flips`), with Student's t over reports, and with the percentile
bootstrap that *Compare* used before. Computes the interval of the median with sign flips and with the bootstrap.

Prints the percentage of intervals that contain the true value, and their mean width relative to Student's t intervals.
With ``--kept``, services are also drawn from replays of two rankers, stored by `benchmarks.sorted_issues`: subsamples
of their reports, with replacement.
"""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.stats import t

from benchmarks.sorted_issues import parse_options
from presort.metrics.batch import Floats
from presort.metrics.sign_flips import mean_interval, median_interval

N_REPORTS = (6, 12, 20, 65)
TAILS = (0.025, 0.975)
N_DRAWS = 999  # number of bootstrap draws
ALIKE = 0.7  # standard deviation of a report's mean, relative to that of a list


class Service(NamedTuple):
    """Difference between two rankers on each list, and the 0-based number of each list's report."""

    values: Floats
    reports: NDArray[np.intp]

    @property
    def sums(self) -> tuple[Floats, Floats]:
        """For each report, the sum of its lists' differences, and its number of lists."""
        return np.bincount(self.reports, self.values).astype(float), np.bincount(self.reports).astype(float)


Draw = Callable[[np.random.Generator, tuple[int, ...] | int], Floats]


def exponential(rng: np.random.Generator, size: tuple[int, ...] | int) -> Floats:
    """Draw skewed values with mean 0 and standard deviation 1."""
    return rng.exponential(size=size) - 1


def mildly_skewed(rng: np.random.Generator, size: tuple[int, ...] | int) -> Floats:
    """Draw values with mean 0 and standard deviation 1 that are half as skewed."""
    return (rng.gamma(4, size=size) - 4) / 2


def heavy_tailed(rng: np.random.Generator, size: tuple[int, ...] | int) -> Floats:
    """Draw values from Student's t with 3 degrees of freedom."""
    return rng.standard_t(3, size=size)


def normal(rng: np.random.Generator, size: tuple[int, ...] | int) -> Floats:
    """Draw values from the standard normal distribution."""
    return rng.normal(size=size)


# Distributions of report means and of lists, and whether reports have unequal numbers of lists.
KINDS: dict[str, tuple[Draw, Draw, bool]] = {
    "normal": (normal, normal, False),
    "normal, unequal": (normal, normal, True),
    "lists skewed": (normal, exponential, False),
    "all mildly skewed, unequal": (mildly_skewed, mildly_skewed, True),
    "all strongly skewed": (exponential, exponential, False),
    "heavy tails, unequal": (heavy_tailed, heavy_tailed, True),
}


def simulate_service(kind: str, n_reports: int, rng: np.random.Generator) -> Service:
    """Simulate a service whose mean difference is 0."""
    of_report, of_list, is_unequal = KINDS[kind]
    counts = np.ceil(rng.lognormal(2, 1, n_reports)).astype(int) if is_unequal else np.full(n_reports, 10)
    reports = np.repeat(np.arange(n_reports), counts)
    return Service(ALIKE * of_report(rng, n_reports)[reports] + of_list(rng, reports.size), reports)


def t_interval(service: Service) -> tuple[float, float]:
    """Return the interval for the mean by Student's t over the reports' totals."""
    totals, counts = service.sums
    n, mean = len(totals), totals.sum() / counts.sum()
    error = np.sqrt(n / (n - 1) * np.square(totals - mean * counts).sum()) / counts.sum()
    return mean - t.ppf(TAILS[1], n - 1) * error, mean + t.ppf(TAILS[1], n - 1) * error


def bootstrap_interval(service: Service, rng: np.random.Generator) -> tuple[float, float]:
    """Return the bootstrap interval for the mean. Reports are drawn with replacement."""
    totals, counts = service.sums
    drawn = rng.multinomial(len(totals), np.full(len(totals), 1 / len(totals)), N_DRAWS)
    low, high = np.quantile((drawn @ totals) / (drawn @ counts), TAILS)
    return float(low), float(high)


def median_by_bootstrap(service: Service, rng: np.random.Generator) -> tuple[float, float]:
    """Return the bootstrap interval for the median. Reports are drawn with replacement."""
    n, order = int(service.reports.max()) + 1, np.argsort(service.values)
    drawn = rng.multinomial(n, np.full(n, 1 / n), N_DRAWS)
    weights = drawn[:, service.reports[order]].cumsum(axis=1)
    middle = (weights >= weights[:, -1:] / 2).argmax(axis=1)
    low, high = np.quantile(service.values[order][middle], TAILS)
    return float(low), float(high)


def intervals(service: Service, rng: np.random.Generator) -> dict[str, tuple[float, float]]:
    """Return a service's intervals, by method."""
    flips, median = mean_interval(*service.sums), median_interval(service.values, service.reports)
    return {
        "t": t_interval(service),
        "bootstrap": bootstrap_interval(service, rng),
        "sign flips": flips[:2],
        "median, bootstrap": median_by_bootstrap(service, rng),
        "median, sign flips": median[:2],
    }


def report_line(name: str, services: Iterator[Service], truths: tuple[float, float], rng: np.random.Generator) -> None:
    """Print how often services' intervals cover the true mean and the true median, and how wide the intervals are."""
    found = [intervals(service, rng) for service in services]
    widths = {method: np.mean([one[method][1] - one[method][0] for one in found]) for method in found[0]}
    texts = []
    for method in found[0]:
        truth = truths[method.startswith("median")]
        covered = np.mean([one[method][0] <= truth <= one[method][1] for one in found])
        texts.append(f"{method} {100 * covered:.1f} ({widths[method] / widths['t']:.2f})")
    print(f"{name}: {' | '.join(texts)}", flush=True)


def median_of(kind: str, rng: np.random.Generator) -> float:
    """Estimate the true median of a kind of service from many simulated reports."""
    of_report, of_list, _ = KINDS[kind]
    return float(np.median(ALIKE * of_report(rng, 1_000_000) + of_list(rng, 1_000_000)))


def differences_of(folder: Path, corpus: str) -> Service | None:
    """Read the differences in relative last position between two stored replays, or None if there aren't two."""
    lasts = []
    for path in sorted(folder.glob(f"{corpus}-*.npz"))[:2]:
        with np.load(path) as file:
            ends = file["n"].cumsum()
            parts = np.split(file["flags"], ends[:-1])
            cases = zip(file["reports"].tolist(), file["days"].tolist(), parts, strict=True)
            lasts.append(
                {(report, day): (np.flatnonzero(one)[-1] + 1) / one.size for report, day, one in cases if one.any()}
            )
    if len(lasts) < 2:
        return None
    common = sorted(lasts[0].keys() & lasts[1].keys())
    _, reports = np.unique([report for report, _ in common], return_inverse=True)
    return Service(np.array([lasts[0][key] - lasts[1][key] for key in common]), reports)


def subsample(whole: Service, n_reports: int, rng: np.random.Generator) -> Service:
    """Draw reports from a service with replacement, and a fifth of each report's lists."""
    chosen = rng.integers(0, whole.reports.max() + 1, n_reports)
    rows = [np.flatnonzero(whole.reports == report) for report in chosen]
    rows = [rng.choice(own, max(own.size // 5, 1), replace=False) for own in rows]
    return Service(whole.values[np.concatenate(rows)], np.repeat(np.arange(n_reports), [own.size for own in rows]))


def main() -> None:
    """Print a line for each kind of service and number of reports."""
    options = parse_options(__doc__, tries=1000)
    rng = np.random.default_rng(1)
    medians = {kind: median_of(kind, rng) for kind in KINDS}
    for n_reports in N_REPORTS:
        for kind in KINDS:
            services = (simulate_service(kind, n_reports, rng) for _ in range(options.tries))
            report_line(f"{n_reports} reports, {kind}", services, (0, medians[kind]), rng)
    for corpus in ("arxiv", "nber") if options.kept else ():
        if whole := differences_of(options.kept, corpus):
            truths = float(whole.values.mean()), float(np.median(whole.values))
            for n_reports in N_REPORTS:
                services = (subsample(whole, n_reports, rng) for _ in range(options.tries))
                report_line(f"{n_reports} reports of {corpus}", services, truths, rng)


if __name__ == "__main__":
    main()
