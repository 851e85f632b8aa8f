"""The text of a report issue, and the order sent by the browser."""

from datetime import date
from pathlib import Path

import pytest

from presort.data.records import Paper, ReportIssue
from presort.desk.components.order_list import parse_move
from presort.desk.sending.letters import Desk, Letter
from presort.desk.sending.templates import Templates
from presort.desk.session.publication import reorder

HOSTILE = [
    "<script>document.title = 'owned'</script> Wages",
    '=HYPERLINK("http://localhost/", "click")',
    "**Bold** _wages_ [link](javascript:alert(1)) :red[taxes]",
    "1. Bounds of $O(n^{2})$ and costs of $5 \\LaTeX{}",
]


def test_an_order_of_the_browser_may_lack_papers_or_name_unknown_ones():
    assert reorder([5, 3, 8], [8, 5, 3]) == (8, 5, 3)
    assert reorder([5, 3, 8], [8, 8, 99, 5]) == (8, 3, 5)
    assert reorder([], [1]) == ()


@pytest.mark.parametrize(
    "value",
    [
        pytest.param(None, id="nothing"),
        pytest.param({"order": [1]}, id="no-number"),
        pytest.param({"number": 1}, id="no-order"),
        pytest.param({"number": 1, "order": "12"}, id="text"),
        pytest.param({"number": 1, "order": [1, True]}, id="truth-value"),
        pytest.param({"number": 1, "order": [1.5]}, id="fraction"),
        pytest.param({"number": -1, "order": []}, id="negative"),
        pytest.param({"number": 2**53, "order": []}, id="too-large"),
    ],
)
def test_an_invalid_order_is_refused(value):
    with pytest.raises(ValueError, match="expected a message number and a list of positions"):
        parse_move(value)


def test_formulas_are_spelled_out_for_readers(ranked, newest):
    paper = Paper("p1", "Pseudo-$R^2$ at $5", "For $\\beta_1$.")
    letter = Desk(ranked).letter(ReportIssue("lab", newest, (), "ada"), [paper])
    assert [(one.title, one.abstract) for one in letter.papers] == [
        ("Pseudo-R^2 at $5", "For \N{GREEK SMALL LETTER BETA}_1.")
    ]


def text_of(papers, **changed):
    letter = Letter("lab", "Labour", date(2026, 11, 16), papers, **{"chosen_by": "chosen by Ada", **changed})
    return Templates(Path("none")).mail_text(letter)


def test_a_report_reads_as_plain_text():
    papers = [
        Paper(
            "arXiv:1906.10651", "Minimum wages", "They rise.", ("C. One", "D. Two"), ("J31", "J38"), "WP 7", "2026-11"
        ),
        *[Paper(f"p{n}", f"Title {n}") for n in range(2, 12)],
    ]
    text = text_of(papers, note="Dear readers,\n\nread on.")
    assert text.splitlines()[:10] == [
        "Labour",
        "lab · 2026-11-16",
        "eleven papers, chosen by Ada",
        "",
        "Dear readers,",
        "",
        "read on.",
        "",
        " 1. Minimum wages",
        "    C. One; D. Two",
    ]
    assert "\n10. Title 10\n    no author given\n" in text
    details = text.split("─" * 76)[1]
    assert details.startswith(
        "\n\n 1. Minimum wages\n    C. One; D. Two\n\n    They rise.\n\n"
        "    J31 J38 · WP 7 · 2026-11 · arXiv:1906.10651\n\n    https://arxiv.org/abs/1906.10651\n\n 2. Title 2"
    )


def test_hostile_titles_are_unchanged_and_stay_on_their_lines():
    text = text_of([Paper(f"h{n}", title, title) for n, title in enumerate(HOSTILE)])
    for title in HOSTILE:
        assert text.replace("\n    ", " ").count(title) == 3
    broken = text_of([Paper("p", "One\nDRAFT\u2028 2. Forged", "A very long title " * 170)])
    assert " 1. One DRAFT 2. Forged" in broken
    assert max(map(len, broken.splitlines())) <= 76
