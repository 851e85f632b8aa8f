"""Generate the parts of docs/measures.md that come from the registry, and the figure of the natural order.

Run ``python -m docs.make_measures`` after adding or changing a measure; a test fails if the guide is out of date. Only
the text between ``<!-- made: NAME -->`` and ``<!-- end -->`` is replaced.
"""

import inspect
import re
from itertools import pairwise
from pathlib import Path

from presort import metrics
from presort.metrics import MEASURES, Measure, natural_order_table
from presort.metrics.measure import EXAMPLE_SCORES, ORDER_IN_WORDS

FOLDER = Path(__file__).parent
MADE = re.compile(r"<!-- made: (?P<name>\w+) -->.*?<!-- end -->", re.DOTALL)
DRAWN = ["last_relevant_position", "aselt", "lofop", "nosel", "ponori", "copnori", "average_precision"]
ROW, SQUARE, COLUMN = 26, 18, 112  # pixels


def with_made_parts(text: str) -> str:
    """Return the guide with all generated parts replaced."""
    parts = {"overview": overview, "measures": one_by_one, "names": public_names}
    return MADE.sub(lambda found: f"<!-- made: {found['name']} -->\n{parts[found['name']]()}<!-- end -->", text)


def overview() -> str:
    """Return the table of all measures."""
    head = ["Measure", "Name in code", "Worst to best", "Better", "Natural order", "Scales", "Needs"]
    rows = [
        [
            measure.label,
            f"`{measure.name}`",
            measure.range + (f" ({measure.unit})" if measure.unit else ""),
            "higher" if measure.higher_is_better else "lower",
            measure.natural_order,
            {True: "yes", False: "no", None: "–"}[measure.scales],  # noqa: RUF001
            measure.needs,
        ]
        for measure in MEASURES.values()
    ]
    return "".join(f"| {' | '.join(row)} |\n" for row in [head, ["---"] * len(head), *rows])


def public_names() -> str:
    """Return the table of all names exported by `presort.metrics`, with the summary line of each docstring."""
    rows = [[f"`{name}`", _first_sentence(name)] for name in sorted(metrics.__all__, key=str.lower)]
    return "".join(f"| {' | '.join(row)} |\n" for row in [["Name", "Meaning"], ["---", "---"], *rows])


def _first_sentence(name: str) -> str:
    public = getattr(metrics, name)
    if not callable(public):  # MEASURES, a dict
        return "Registry of all measures, by name."
    return (inspect.getdoc(public) or "").split("\n\n")[0].replace("\n", " ")


def one_by_one() -> str:
    """Return one section per measure."""
    return "\n".join(section(measure) for measure in MEASURES.values())


def section(measure: Measure) -> str:
    """Return the section of one measure: meaning, formula, worked example, limits and source."""
    scores = f"scores {', '.join(map(str, EXAMPLE_SCORES))}\n" if measure.needs == "scores" else ""
    return (
        f"### {measure.label}\n\n{measure.meaning}\n\n"
        f"```math\n{measure.formula}\n```\n\n"
        f"```text\n{measure.example}\n{scores}{measure.worked} = {measure.example_value():.4g}\n```\n\n"
        f"**When it misleads.** {measure.misleads}\n\n"
        f"Natural order: {ORDER_IN_WORDS[measure.natural_order]}. Source: {measure.source}.\n"
    )


def drawing() -> str:
    """Draw all outcomes with 2 relevant papers out of 5, best on top, and measures as lines, red at violations."""
    table = natural_order_table(2, 5)
    left, top = 5 * SQUARE + 40, 50
    width, height = left + COLUMN * len(DRAWN), top + ROW * len(table.outcomes) + 10
    shapes = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="sans-serif" '
        'font-size="11">',
        f'<rect width="{width}" height="{height}" fill="#fff"/>',
    ]
    for row, outcome in enumerate(table.outcomes):
        for place in range(1, 6):
            colour = "#0072B2" if place in outcome.positions else "#e8e8e8"
            x, y = 10 + (place - 1) * SQUARE, top + row * ROW
            shapes.append(f'<rect x="{x}" y="{y}" width="{SQUARE - 3}" height="{SQUARE - 3}" fill="{colour}"/>')
    for column, name in enumerate(DRAWN):
        shapes += _line(MEASURES[name], table.measures[name].tolist(), left + column * COLUMN, top)
    return "\n".join([*shapes, "</svg>\n"])


def _line(measure: Measure, values: list[float], left: int, top: int) -> list[str]:
    """Draw one measure as a line with one point per outcome. Better values are further right."""
    sign = 1 if measure.higher_is_better else -1
    low, high = min(sign * value for value in values), max(sign * value for value in values)
    points = [
        (left + (sign * value - low) / (high - low) * (COLUMN - 30), top + row * ROW + (SQUARE - 3) / 2)
        for row, value in enumerate(values)
    ]
    shapes = [f'<text x="{left - 4}" y="{top - 24}" fill="#222">{measure.label.replace(" relevant", "")}</text>']
    for (x, y), (next_x, next_y) in pairwise(points):
        colour = "#c00" if next_x > x + 1e-6 else "#999"
        ends = f'x1="{x:.1f}" y1="{y}" x2="{next_x:.1f}" y2="{next_y}"'
        shapes.append(f'<line {ends} stroke="{colour}" stroke-width="2"/>')
    shapes += [f'<circle cx="{x:.1f}" cy="{y}" r="3.5" fill="#222"/>' for x, y in points]
    return shapes


def main() -> None:
    """Update the guide and its figure."""
    guide = FOLDER / "measures.md"
    guide.write_text(with_made_parts(guide.read_text(encoding="utf-8")), encoding="utf-8")
    (FOLDER / "natural-order.svg").write_text(drawing(), encoding="utf-8")


if __name__ == "__main__":
    main()
