"""Generate a small sample file of invented papers for a first import."""

import pandas as pd

from presort.data.demo.world import make_world
from presort.data.exporters.csv_text import csv_text

REPORT = "lab"  # report whose past selections are in the file, because they are needed to rank its newest issue
N_ISSUES, PAPERS_PER_ISSUE = 4, 50  # small enough to import and rank within seconds
NAME = "sample-papers.csv"


def sample_file() -> bytes:
    """Return the content of a CSV file with four weekly issues and one report's past selections.

    Examples
    --------
    >>> sample_file().splitlines()[0].decode("utf-8-sig")
    'paper_id,title,abstract,authors,codes,series,issue,reports'
    """
    world = make_world(n_issues=N_ISSUES, papers_per_issue=PAPERS_PER_ISSUE)
    newest = max(listed.issue for listed in world.listings)
    rows = [
        {
            "paper_id": listed.paper.paper_id,
            "title": listed.paper.title,
            "abstract": listed.paper.abstract,
            "authors": "; ".join(listed.paper.authors),
            "codes": "; ".join(listed.paper.codes),
            "series": listed.paper.series,
            "issue": listed.issue.isoformat(),
            "reports": REPORT if REPORT in listed.selected_by and listed.issue < newest else "",
        }
        for listed in world.listings
    ]
    return csv_text(pd.DataFrame(rows)).encode("utf-8-sig")
