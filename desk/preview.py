"""How a report issue reads: one plain text."""

import textwrap
from collections.abc import Sequence
from datetime import date

from data.records import Paper
from desk.links import link_of
from desk.words import finish as words
from desk.words.outcomes import counted_in_words

WIDTH = 76  # characters a line
RULE = "─" * WIDTH


def report_text(
    name: str,
    code: str,
    issue: date,
    papers: Sequence[Paper],
    *,
    chosen_by: str,
    note: str = "",
    is_draft: bool = False,
) -> str:
    """Write a report issue as its readers get it.

    Parameters
    ----------
    name, code
        Of the report.
    issue : date
        Of the issue.
    papers : sequence of Paper
        Those that go out, in order.
    chosen_by : str
        Says who chose them.
    note : str
        To the readers; left out where it is empty.
    is_draft : bool
        Whether it says so, above and below.

    Examples
    --------
    >>> print(report_text("Labour", "lab", date(2026, 11, 16), [Paper("p1", "Minimum wages")], chosen_by="by Ada"))
    Labour
    lab · 2026-11-16
    one paper, by Ada
    <BLANKLINE>
     1. Minimum wages
        no author given
    <BLANKLINE>
    ────────────────────────────────────────────────────────────────────────────
    <BLANKLINE>
     1. Minimum wages
        no author given
    <BLANKLINE>
        p1
    """
    draft = [words.DRAFT_LINE] if is_draft else []
    head = [*_wrapped(name), f"{code} · {issue}", words.headed(counted_in_words(len(papers), "paper"), chosen_by)]
    told = ["\n".join("\n".join(_wrapped(line)) for line in note.splitlines())] if note else []
    listed = [_entry(number, paper) for number, paper in enumerate(papers, start=1)]
    details = [_details(number, paper) for number, paper in enumerate(papers, start=1)]
    contents = ["\n".join(listed), RULE, *details] if papers else [words.NOTHING_CHOSEN]
    return "\n\n".join([*draft, "\n".join(head), *told, *contents, *draft])


def _entry(number: int, paper: Paper) -> str:
    lead = f"{number:>2}. "
    return "\n".join([*_wrapped(paper.title, lead), *_wrapped(_authors(paper), " " * len(lead))])


def _details(number: int, paper: Paper) -> str:
    margin = " " * len(f"{number:>2}. ")
    facts = " · ".join(fact for fact in (" ".join(paper.codes), paper.series, paper.date, paper.paper_id) if fact)
    about = [paper.abstract, facts, link_of(paper) or ""]
    return "\n\n".join([_entry(number, paper), *("\n".join(_wrapped(text, margin)) for text in about if text)])


def _authors(paper: Paper) -> str:
    return "; ".join(paper.authors) or words.NO_AUTHOR


def _wrapped(text: str, lead: str = "") -> list[str]:
    """Break a text into lines, the later ones as far in as the first; an id or an address stays whole."""
    return textwrap.wrap(
        " ".join(text.split()),
        WIDTH,
        initial_indent=lead,
        subsequent_indent=" " * len(lead),
        break_long_words=False,
        break_on_hyphens=False,
    )
