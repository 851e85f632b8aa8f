"""Small inputs of real producers, each with its right result.

A row says which papers a file holds, with the fields that its producer gets wrong or that a reader may lose; how many
records are left out, and how many repairs are reported.
"""

import datetime
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from data.importers import read_listings
from data.importers.choices import Choices
from data.importers.problems import Findings

CASES = Path(__file__).parents[3] / ".." / "shared" / "cases"
needs_cases = pytest.mark.skipif(not CASES.exists(), reason="the shared case files are not here")
CHOICES = Choices(issue=datetime.date(2026, 11, 16))


@dataclass(frozen=True)
class Case:
    """Case file with its right result: of each paper the fields to compare (those of `Paper`)."""

    file: str
    papers: Sequence[Mapping[str, object]]
    n_left_out: int = 0
    n_repairs: int = 0


ROWS = [
    Case(
        "r01_empty_tag_no_blank.ris",
        [
            {
                "title": "Outcome measures after stabilization",
                "authors": ("Author A.",),
                "codes": ("athlete",),
                "date": "",
                "abstract": "",
            }
        ],
    ),
]


def read(path: Path, choices: Choices = CHOICES) -> tuple[list[dict[str, object]], Findings]:
    """Return the fields of each paper of a file, and the problems found while reading it, skipping invalid records."""
    findings = Findings()
    listings = list(read_listings(path, choices, problems=findings.collect(keeps_going=True)))
    fields = [{name: getattr(listed.paper, name) for name in PAPER} for listed in listings]
    return fields, findings


PAPER = ("paper_id", "title", "abstract", "authors", "codes", "series", "date", "doi", "url", "type")


@needs_cases
@pytest.mark.parametrize("case", [pytest.param(case, id=case.file) for case in ROWS])
def test_the_right_result_of_each_case_file(case):
    papers, findings = read(CASES / case.file)
    compared = [{name: paper[name] for name in right} for paper, right in zip(papers, case.papers, strict=False)]
    assert (len(papers), compared) == (len(case.papers), list(case.papers))
    assert (len(findings.left_out), len(findings.repairs)) == (case.n_left_out, case.n_repairs), findings.left_out
