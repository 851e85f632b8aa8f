"""A service's summary page: a self-contained HTML file without scripts, suitable for mailing or printing."""

import math
import re
from collections.abc import Sequence
from datetime import UTC, date, datetime
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory

import pandas as pd
from jinja2 import Environment, FileSystemLoader, StrictUndefined, Template
from markupsafe import Markup

from presort.data.errors import DataError, RefusedError
from presort.data.store import Store
from presort.desk.replay import figures
from presort.desk.scores.curves import last_by_issue, reading_curves
from presort.desk.scores.formats import newest_issues_label, percent
from presort.desk.scores.registry import MEASURES
from presort.desk.scores.shifts import windows
from presort.desk.scores.sorters import SORTED, rows_of
from presort.desk.scores.table import comparison_scores
from presort.desk.summary import figures as summary
from presort.desk.summary import headlines
from presort.desk.summary.charts import Drawn, last_position_chart, reading_curve_chart
from presort.desk.summary.figures import Material
from presort.desk.text import count_text
from presort.desk.ui.colours import marks_of

EXPLAINED = ("relative_last_position", "average_precision", "copnori")
SPARK_WIDTH, SPARK_HEIGHT = 100, 20
ROLES = re.compile(r' (?:role|aria-\w+)="[^"]*"')  # removed from the SVG, because the whole chart has a single label


def check_path(path: Path) -> None:
    """Check that a summary can be written to the file at this path.

    Raises
    ------
    ValueError
        If the name does not end in ``.html``, the path is a folder, or its parent folder does not exist.
    """
    if path.suffix.lower() != ".html":
        raise ValueError(f"{path.name!r} does not end in .html")
    figures.check_path(path)


def save(page: str, path: Path) -> None:
    """Write a page atomically. An existing file is replaced.

    Raises
    ------
    DataError
        If the file can't be written.
    """
    try:
        # On the same disk, because replace() is atomic only within a file system.
        with TemporaryDirectory(prefix=".presort-", dir=path.parent) as folder:
            unfinished = Path(folder) / path.name
            unfinished.write_text(page, encoding="utf-8")
            unfinished.replace(path)
    except OSError as error:
        raise DataError(f"{path} can't be written: {error.strerror}.") from error


def summary_html(
    store: Store,
    scored: pd.DataFrame,
    *,
    ranker: str | None = None,
    replay: int | None = None,
    made: date | None = None,
) -> str:
    """Render the summary of the rankings as a self-contained HTML page.

    Parameters
    ----------
    scored : DataFrame
        Result of `presort.desk.scores.table.scores`, filtered by report, ranker and issue.
    ranker : str, optional
        Ranker to summarise. Defaults to the official rankings for editors or, if none of them has a relevant paper,
        to the best ranker.
    replay : int, optional
        Id of the replay, if `scored` contains only rankings of one replay.
    made : date, optional
        Date of the summary. Defaults to today (UTC).

    Raises
    ------
    RefusedError
        If no report issue to summarise has a relevant paper.
    """
    material = summary.material(comparison_scores(store, scored), one_ranking_per_issue(store, scored, ranker))
    if material.mine.empty:
        raise RefusedError(
            "Nothing to summarise: no ranked report issue has a relevant paper. Choose other issues or rankers, or run "
            "'presort replay'."
        )
    compared = summary.side_by_side(material.fair, material.rankers)
    reports = headlines.add_names(store, summary.summarise_by_report(material.mine))
    saved = headlines.compute_savings(store, material.mine)
    parts = {
        "first": material.rankers[0],
        "newest": newest_issues_label(len(windows(material.mine)[0])),
        "rankers": headlines.describe_rankers(material.mine),
        "span": headlines.span(material.mine),
        "basis": _basis(material),
        "verdict": headlines.verdict(material),
        "headlines": headlines.headlines(material, reports, saved),
        "legend": _legend(material.rankers),
        "drawings": _drawings(material),
        "compared": compared.to_dict("records") if len(compared) > 1 else [],
        "n_compared": count_text(len(material.fair) // len(compared), "report issue"),
        "reports": reports.assign(spark=reports["report"].map(sparks(material.mine))).to_dict("records"),
        "measures": [MEASURES[name] for name in EXPLAINED],
        "made": headlines.basis_headlines(store, material, saved, replay, made or datetime.now(UTC).date()),
    }
    return _template().render(**parts)


def one_ranking_per_issue(store: Store, scored: pd.DataFrame, ranker: str | None = None) -> pd.DataFrame:
    """Return one ranking per report issue: the given ranker's or, by default, the official one for editors.

    If no report issue with a relevant paper has an official ranking, the best ranker's rankings are returned.
    """
    mine = rows_of(store, scored, ranker or SORTED)
    if ranker or (mine["n_relevant"] > 0).any():
        return mine
    best = summary.best_ranker(comparison_scores(store, scored))
    return rows_of(store, scored, best) if best else mine


def sparks(table: pd.DataFrame) -> dict[str, str]:
    """Return a sparkline of each report's reading effort, as the points of an SVG polyline.

    The sparkline measures `SPARK_WIDTH` by `SPARK_HEIGHT` units. The x-axis is the time from the first to the last
    issue in the table, and the y-axis is the reading effort from 0 (bottom) to the report's maximum (top).
    """
    running = summary.running_last(table)
    days = (running["issue"] - running["issue"].min()).dt.days
    x = SPARK_WIDTH * days / max(days.max(), 1)
    y = SPARK_HEIGHT * (1 - running["running"] / running.groupby("report")["running"].transform("max"))
    points = x.map("{:.1f}".format) + "," + y.map("{:.1f}".format)
    return {str(report): " ".join(mine) for report, mine in points.groupby(running["report"])}


def _basis(material: Material) -> str:
    n_papers = int(material.mine.groupby("issue")["n_papers"].max().sum())
    counts = {
        "issue": material.mine["issue"].nunique(),
        "paper": n_papers,
        "report": material.mine["report"].nunique(),
        "report issue": len(material.mine),
    }
    return " · ".join(count_text(n, noun) for noun, n in counts.items())


def _legend(rankers: Sequence[str]) -> list[dict[str, str]]:
    marks = marks_of(rankers)
    dashes = (" ".join(map(str, dash)) for dash in marks.dashes)
    styles = zip(rankers, marks.colours, dashes, strict=True)
    return [{"ranker": name, "colour": colour, "dash": dash} for name, colour, dash in styles]


def _drawings(material: Material) -> list[dict[str, str]]:
    charts = {
        (
            "Reading effort by issue: mean over all reports (thin), averaged over four issues (thick). Lower is better."
        ): last_position_chart(last_by_issue(material.fair), material.rankers),
        (
            "Report issues in which every relevant paper is found, by share of the list read. Higher is better."
        ): reading_curve_chart(reading_curves(material.fair), material.rankers),
    }
    return [{"title": title, "svg": _svg(chart)} for title, chart in charts.items()]


def _svg(chart: Drawn) -> Markup:
    drawn = StringIO()
    chart.save(drawn, format="svg")
    return Markup(ROLES.sub("", drawn.getvalue()))  # noqa: S704  (drawn by Altair, which escapes texts)


def _template() -> Template:
    environment = Environment(
        loader=FileSystemLoader(Path(__file__).parent),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {
        "share": percent,
        "points": points_text,
        "distance": distance_text,
        "number": number_text,
    }
    return environment.get_template("summary.html")


def points_text(change: float) -> str:
    """Format a difference between shares in percentage points.

    Examples
    --------
    >>> points_text(0.0123), points_text(-0.25), points_text(-0.0001), points_text(math.nan)
    ('+1.2', '−25.0', '0.0', '–')
    """  # noqa: RUF002
    if math.isnan(change):
        return "–"  # noqa: RUF001
    return "0.0" if abs(change) < 0.0005 else f"{100 * change:+.1f}".replace("-", "−")  # noqa: RUF001


def number_text(value: float) -> str:
    """Format a number with three decimals.

    Examples
    --------
    >>> number_text(0.65), number_text(math.nan)
    ('0.650', '–')
    """  # noqa: RUF002
    return "–" if math.isnan(value) else f"{value:.3f}"  # noqa: RUF001


def distance_text(power: float) -> str:
    """Format a distance from 100 %. `power` is log10 of the distance in percent.

    Examples
    --------
    >>> distance_text(math.log10(0.81)), distance_text(-411.5), distance_text(-math.inf), distance_text(math.nan)
    ('0.81 %', '3.2e-412 %', '0 %', '–')
    """  # noqa: RUF002
    if math.isnan(power):
        return "–"  # noqa: RUF001
    if power == -math.inf:
        return "0 %"
    if power >= -2:
        return f"{10**power:.2f} %"
    whole = math.floor(power)
    digits = f"{10 ** (power - whole):.1f}"
    return f"1.0e{whole + 1} %" if digits == "10.0" else f"{digits}e{whole} %"
