"""Charts on the *Compare* page."""

from collections.abc import Sequence

import altair as alt
import numpy as np
import pandas as pd

from presort.desk.scores.papers_saved import PairResult
from presort.desk.ui.colours import CENTRED, COLOURS, GREY, IN_LINES, POWER_LABEL, ink_on, marks_of, wrap_label
from presort.metrics import FCurve, Measure

# Colours of the bar segments for ties and for lists on which the opponent ranks the last relevant paper earlier. Both
# are greys that suit light and dark mode.
TIE, LATER = "#A8ADB3", "#7B8188"
MARKED, LIMIT = COLOURS[0], COLOURS[1]
INK = "#787878"  # colour for lines and text inside a chart, legible in light and dark mode
LEAST_LABELLED = 0.05  # minimum share of the lists at which a bar segment is labelled
CLICKED = "clicked"  # name of Altair's point selection
LABEL = 190  # maximum width of a row label in pixels
# Padding in pixels. Without it, labels would be clipped, because they are drawn wider than Vega calculates.
PADDING = {"top": 5, "left": 5, "right": 12, "bottom": 5}
AROUND = 140  # height of the axis and the legend in pixels
ROW, REPORT, LEGEND, CURVE = 30, 18, 66, 420  # heights in pixels: row, row of a report, legend, and chart of curves


def win_tie_loss_bars(pair_results: Sequence[PairResult]) -> alt.LayerChart:
    """Plot the shares of lists on which a ranker wins, ties and loses against each opponent.

    A ranker wins on a list if it ranks the last relevant paper earlier than the opponent.
    """
    ranker = pair_results[0].ranker
    names = {"earlier": f"{ranker} earlier", "same": "Same", "later": "Opponent earlier"}
    colours = [*marks_of([ranker]).colours, TIE, LATER]
    parts = shares(pair_results)
    inks = dict(zip(names, map(ink_on, colours), strict=True))
    parts = parts.assign(part=parts["kind"].map(names), ink=parts["kind"].map(inks))
    parts["at"] = (parts["start"] + parts["end"]) / 2
    parts["text"] = (100 * parts["share"]).map("{:.0f} %".format).where(parts["share"] >= LEAST_LABELLED, "")
    opponents = [one.opponent for one in pair_results]
    base = alt.Chart(parts).encode(
        y=alt.Y(
            "opponent:N",
            title=None,
            sort=opponents,
            axis=alt.Axis(labelLimit=LABEL, ticks=False, domain=False),
            scale=alt.Scale(paddingInner=0.3, paddingOuter=0.1),
        ),
        tooltip=[
            alt.Tooltip("opponent:N", title="Against"),
            alt.Tooltip("part:N", title="Last relevant paper"),
            alt.Tooltip("n:Q", title="Lists", format=",d"),
            alt.Tooltip("share:Q", title="Share", format=".1%"),
        ],
    )
    x = alt.X("start:Q", axis=None, scale=alt.Scale(domain=[0, 1]))
    colour = alt.Color(
        "part:N",
        title=None,
        sort=list(names.values()),
        scale=alt.Scale(domain=list(names.values()), range=colours),
        legend=alt.Legend(orient="top", columns=2, labelLimit=0),
    )
    bars = base.mark_bar().encode(x, alt.X2("end:Q"), color=colour)
    figures = base.mark_text(fontSize=12, aria=False).encode(
        alt.X("at:Q", axis=None), text="text:N", color=alt.Color("ink:N", scale=None)
    )
    return alt.LayerChart(layer=[bars, figures], height=ROW * len(opponents) + LEGEND, padding=PADDING)


def report_bars(reports: pd.DataFrame, ranker: str, opponent: str) -> alt.Chart:
    """Plot the number of papers that a ranker saves per list in each report. A click selects a report.

    `reports` is a result of `presort.desk.scores.papers_saved.average_by_report` and sets the order of the bars.
    """
    clicked = alt.selection_point(name=CLICKED, fields=["report"], on="click", empty=False)
    colours = alt.condition("datum.papers >= 0", alt.value(marks_of([ranker]).colours[0]), alt.value(GREY))
    bars = alt.Chart(reports).mark_bar(cursor="pointer")
    return (
        bars.encode(
            x=alt.X(
                "papers:Q",
                title=["Papers saved per list", f"(negative: {opponent} saves papers)"],
                axis=alt.Axis(orient="top", tickCount=6),
            ),
            y=alt.Y(
                "report:N",
                title=None,
                sort=list(reports["report"]),
                axis=alt.Axis(labelLimit=LABEL, labelOverlap=False, labelFlush=False),
            ),
            color=colours,
            tooltip=[
                alt.Tooltip("report:N", title="Report"),
                alt.Tooltip("papers:Q", title="Papers saved per list", format="+.1f"),
                alt.Tooltip("report_issues:Q", title="Lists"),
                alt.Tooltip("earlier:Q", title=f"{ranker} earlier"),
                alt.Tooltip("later:Q", title=f"{opponent} earlier"),
            ],
        )
        .add_params(clicked)
        .properties(height=REPORT * len(reports) + LEGEND, padding=PADDING)
    )


def recall_lines(curves: pd.DataFrame, stops: pd.DataFrame, rankers: list[str]) -> alt.LayerChart:
    """Plot each ranker's mean recall against the number of papers read, with a mark at the mean stop point.

    Parameters
    ----------
    curves : DataFrame
        Result of `presort.desk.scores.curves.recall_curves`.
    stops : DataFrame
        Result of `presort.desk.scores.stop_audit.stop_points`.
    rankers : list of str
        Rankers in the order of their colours.
    """
    marks = marks_of(rankers)
    scale, dashes = (alt.Scale(domain=rankers, range=each) for each in (marks.colours, marks.dashes))
    # The square-root scale widens the left part, where rankers differ most.
    axis = alt.Axis(tickCount=8, format=",d")
    x = alt.X("papers:Q", title="Papers read", scale=alt.Scale(type="sqrt", nice=False), axis=axis)
    y = alt.Y("recall:Q", title="Mean recall", scale=alt.Scale(domain=[0, 1]), axis=alt.Axis(format="%"))
    legend = alt.Legend(orient="top", columns=2, labelLimit=0, symbolType="stroke", symbolSize=400)
    colour = alt.Color("ranker:N", title=None, sort=rankers, scale=scale, legend=legend)
    tooltip = [
        alt.Tooltip("ranker:N", title="Ranker"),
        alt.Tooltip("papers:Q", title="Papers read", format=",.0f"),
        alt.Tooltip("recall:Q", title="Mean recall", format=".1%"),
    ]
    lines = alt.Chart(curves).mark_line(strokeWidth=2.5).encode(x, y, color=colour, tooltip=tooltip)
    lines = lines.encode(strokeDash=alt.StrokeDash("ranker:N", title=None, scale=dashes, legend=legend))
    points = alt.Chart(stops).mark_circle(size=160, opacity=1, stroke=INK, strokeWidth=1)
    points = points.encode(
        x,
        y,
        color=colour,
        tooltip=[*tooltip, alt.Tooltip("n_lists:Q", title="Lists with a stop point", format=",d")],
    )
    return alt.LayerChart(layer=[lines, points] if len(stops) else [lines], height=CURVE, padding=PADDING)


def difference_intervals(table: pd.DataFrame, ranker: str, opponents: list[str]) -> alt.LayerChart:
    """Draw a forest plot of the mean difference between a ranker and each opponent for each measure, with intervals.

    `table` is a result of `tables.difference_texts`. Positive values mean that the ranker is better. `opponents` sets
    the order of the legend.
    """
    names, marks = list(table["label"].map(wrap_label).drop_duplicates()), marks_of(opponents)
    axis = alt.Axis(
        labelLimit=LABEL, labelExpr=IN_LINES, labelBaseline=CENTRED, labelOverlap=False, labelFlush=False, grid=True
    )
    base = alt.Chart(table.assign(name=table["label"].map(wrap_label))).encode(
        y=alt.Y("name:N", title=None, sort=names, axis=axis),
        yOffset=alt.YOffset("ranker:N", sort=opponents),
        color=alt.Color(
            "ranker:N",
            title=None,
            sort=opponents,
            scale=alt.Scale(domain=opponents, range=marks.colours),
            legend=alt.Legend(orient="top", columns=2, labelLimit=0),
        ),
        tooltip=[
            alt.Tooltip("label:N", title="Measure"),
            alt.Tooltip("ranker:N", title="Opponent"),
            alt.Tooltip("difference_text:N", title=f"{ranker} better by"),
            alt.Tooltip("interval_text:N", title="95 % CI"),
        ],
    )
    points = base.mark_point(filled=True, size=50, opacity=1).encode(
        x=alt.X(
            "effect:Q",
            title=["Mean difference / RMS difference", f"(positive: {ranker} is better)"],
            axis=alt.Axis(format=".2f", tickCount=6, orient="top"),
        ),
        shape=alt.Shape("ranker:N", title=None, sort=opponents, scale=alt.Scale(domain=opponents, range=marks.shapes)),
    )
    lines = base.mark_rule(strokeWidth=2, aria=False).encode(x="low_effect:Q", x2="high_effect:Q")
    zero = alt.Chart(table.head(1)).mark_rule(color=INK, strokeDash=[4, 3], aria=False).encode(x=alt.datum(0))
    row = max(
        14 * (1 + max(name.count("\n") for name in names)), 9 * len(opponents) + 8
    )  # room for all lines of a label and for the interval of each opponent
    return alt.LayerChart(layer=[zero, lines, points], height=row * len(names) + AROUND, padding=PADDING)


def scatter(points: pd.DataFrame, a: str, b: str, measure: Measure) -> alt.LayerChart:
    """Plot two rankers' values of a measure against each other, with one point per report issue.

    Parameters
    ----------
    points : DataFrame
        One row per report issue, with the columns ``report``, ``issue``, ``n_relevant``, ``n_papers`` and:

        - ``drawn_a``, ``drawn_b``: finite values to plot
        - ``shown_a``, ``shown_b``: values formatted as text
        - ``sign``: -1 if `a` is better in natural order, 1 if `b` is better, and 0 if they are equal
        - ``at``: id of the point
        - ``is_picked``: True for the point to enlarge
    a, b : str
        Rankers. The values of `a` are on the y-axis, and the values of `b` are on the x-axis.
    measure : Measure
    """
    names = {-1: f"{a} better in natural order", 0: "equal in natural order", 1: f"{b} better in natural order"}
    drawn = points.assign(who=points["sign"].map(names), issue=points["issue"].dt.strftime("%Y-%m-%d"))
    first, second = marks_of([a, b]).colours
    values = points[["drawn_a", "drawn_b"]].to_numpy()
    domain = [float(values.min()), float(values.max())]
    scale = alt.Scale(domain=domain, nice=False, zero=False, padding=6)
    is_share = measure.unit.startswith("share")
    axis = alt.Axis(labelExpr=POWER_LABEL) if measure.loss else alt.Axis(format="%" if is_share else ".3~g")
    unit = "distance from 100 %" if measure.loss else measure.unit
    titles = [[f"{measure.label}{f' ({unit})' if unit else ''}", name] for name in (b, a)]
    diagonal = pd.DataFrame({"drawn_a": domain, "drawn_b": domain})
    x, y = (
        alt.X("drawn_b:Q", title=titles[0], scale=scale, axis=axis),
        alt.Y("drawn_a:Q", title=titles[1], scale=scale, axis=axis),
    )
    line = alt.Chart(diagonal).mark_line(color=INK, strokeDash=[4, 3], strokeWidth=1).encode(x, y)
    clicked = alt.selection_point(name=CLICKED, fields=["at"], on="click", empty=False)
    dots = alt.Chart(drawn).mark_point(filled=True, cursor="pointer")
    dots = dots.encode(
        x,
        y,
        color=alt.Color(
            "who:N",
            title=None,
            scale=alt.Scale(domain=list(names.values()), range=[first, GREY, second]),
            legend=alt.Legend(orient="top", columns=1, labelLimit=0, symbolOpacity=1),
        ),
        size=alt.condition("datum.is_picked", alt.value(260), alt.value(34)),
        opacity=alt.condition("datum.is_picked", alt.value(1), alt.value(0.7)),
        tooltip=[
            alt.Tooltip("report:N", title="Report"),
            alt.Tooltip("issue:N", title="Issue"),
            alt.Tooltip("shown_a:N", title=a),
            alt.Tooltip("shown_b:N", title=b),
            alt.Tooltip("n_relevant:Q", title="Relevant"),
            alt.Tooltip("n_papers:Q", title="Papers"),
        ],
    )
    return (line + dots.add_params(clicked)).properties(height=520)


def improvement_bars(pairs: pd.DataFrame, robust: float) -> alt.LayerChart:
    """Plot the Unanimous Improvement Ratio (UIR) of each pair of rankers, with a line at the robustness threshold.

    Columns of `pairs`: ``pair``, the label, and ``ratio``, from 0 to 1. The rows are sorted by descending ratio.
    """
    colours = alt.condition(alt.datum.ratio >= robust, alt.value(MARKED), alt.value(GREY))
    bars = (
        alt.Chart(pairs)
        .mark_bar(height=16)
        .encode(
            x=alt.X(
                "ratio:Q",
                title=["Lists unanimously better", "minus lists unanimously worse", "(share of lists, UIR)"],
                scale=alt.Scale(domain=[0, 1]),
                axis=alt.Axis(tickCount=5),
            ),
            y=alt.Y("pair:N", title=None, sort=list(pairs["pair"]), axis=alt.Axis(labelLimit=230)),
            color=colours,
            tooltip=[alt.Tooltip("pair:N", title="Pair"), alt.Tooltip("ratio:Q", title="UIR", format=".3f")],
        )
    )
    line = (
        alt.Chart(pairs.head(1))
        .mark_rule(color=LIMIT, strokeWidth=2, strokeDash=[4, 3], aria=False)
        .encode(x=alt.datum(robust))
    )
    return (bars + line).properties(
        height=26 * len(pairs) + AROUND,
        padding=PADDING,
        title=_title(f"Blue: robust, with a UIR of at least {robust:g} (dashed line)"),
    )


def f_curve_lines(curve: FCurve, rankers: list[str], measures: list[Measure]) -> alt.LayerChart:
    """Plot each ranker's mean F against the weight of the first of two measures.

    Marks the points at which two rankers swap ranks. `curve` must contain at least one case, and `rankers` must be in
    the order of its rows.
    """
    first, second = (measure.label for measure in measures)
    lines = (
        pd.DataFrame(curve.mean_f.T, columns=rankers).assign(alpha=curve.alphas).melt("alpha", rankers, "ranker", "f")
    )
    marks = marks_of(rankers)
    scale, dashes = (alt.Scale(domain=rankers, range=each) for each in (marks.colours, marks.dashes))
    legend = alt.Legend(orient="top", columns=2, labelLimit=0, symbolType="stroke", symbolSize=400)
    drawn = alt.Chart(lines).mark_line(strokeWidth=2.5)
    drawn = drawn.encode(
        x=alt.X("alpha:Q", title=[f"Weight of {first}", f"(0: {second} alone)"], scale=alt.Scale(domain=[0, 1])),
        y=alt.Y("f:Q", title="Mean F (higher is better)", scale=alt.Scale(zero=False)),
        color=alt.Color("ranker:N", title=None, scale=scale, legend=legend),
        strokeDash=alt.StrokeDash("ranker:N", title=None, scale=dashes, legend=legend),
        tooltip=[
            alt.Tooltip("ranker:N", title="Ranker"),
            alt.Tooltip("alpha:Q", title="Weight", format=".2f"),
            alt.Tooltip("f:Q", title="Mean F", format=".4f"),
        ],
    )
    swaps = pd.DataFrame(
        {
            "alpha": [swap.alpha for swap in curve.swaps],
            "f": [float(np.interp(swap.alpha, curve.alphas, curve.mean_f[swap.below])) for swap in curve.swaps],
            "swap": [f"{rankers[swap.below]} before, {rankers[swap.above]} after" for swap in curve.swaps],
        },
        columns=["alpha", "f", "swap"],
    )
    marks = alt.Chart(swaps).mark_point(size=130, stroke=INK, strokeWidth=2, opacity=1)
    marks = marks.encode(
        x="alpha:Q",
        y="f:Q",
        tooltip=[alt.Tooltip("swap:N", title="Ahead"), alt.Tooltip("alpha:Q", title="Weight", format=".3f")],
    )
    return (drawn + marks).properties(height=380)


def _title(text: str) -> alt.Title:
    return alt.Title(text, anchor="start", fontWeight="normal", fontSize=12)


def shares(pair_results: Sequence[PairResult]) -> pd.DataFrame:
    """Return the bar segments of `win_tie_loss_bars`.

    Returns
    -------
    DataFrame
        One row per segment, with the columns:

        - ``opponent``
        - ``kind``: "earlier", "same" or "later"
        - ``n``: number of lists of this kind
        - ``share``: share of these lists among all lists
        - ``start``, ``end``: start and end of the segment in the bar, from 0 to 1
    """
    rows = []
    for one in pair_results:
        done = 0
        for kind in ("earlier", "same", "later"):
            n: int = getattr(one, kind)
            rows.append((one.opponent, kind, n, n / one.n, done / one.n, (done + n) / one.n))
            done += n
    return pd.DataFrame(rows, columns=["opponent", "kind", "n", "share", "start", "end"])
