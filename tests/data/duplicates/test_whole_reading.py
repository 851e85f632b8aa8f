"""The index finds the same duplicates as a search through all papers, on real and synthetic papers."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import presort.data.intake.identities
from benchmarks.matching import change_paper
from presort.data.duplicates.candidates import PapersInMemory
from presort.data.duplicates.matching import find_duplicates, match
from presort.data.records import ListedPaper, Paper
from presort.data.text.words import plain_words
from tests.data.duplicates.whole_reading import match_by_reading
from tests.data.workspaces import CORPUS, FIRST, SECOND, THIRD, take_in

pytestmark = pytest.mark.whole

N_KNOWN, N_NEW = 2_500, 240


@pytest.fixture(scope="module", params=["arxiv", "nber"])
def papers(request: pytest.FixtureRequest) -> list[Paper]:
    if not CORPUS.is_dir():
        pytest.skip(f"no corpus of real papers in {CORPUS}")
    rows = pd.read_parquet(CORPUS / f"{request.param}.parquet", columns=["paper_id", "title", "abstract", "authors"])
    rows = rows.drop_duplicates("paper_id").tail(N_KNOWN + N_NEW // 2).fillna("")
    return [Paper(*texts, tuple(filter(None, names.split("; ")))) for *texts, names in rows.itertuples(index=False)]


def newcomers(papers: list[Paper]) -> list[Paper]:
    """Return papers to import later. Every other one is a slightly changed copy of a known or a new paper."""
    rng = np.random.default_rng(1)
    again = [
        change_paper(papers[row], number, rng)[0] for number, row in enumerate(rng.integers(len(papers), size=N_NEW))
    ]
    return [paper for both in zip(papers[N_KNOWN:], again[: N_NEW // 2], strict=True) for paper in both] + again[
        N_NEW // 2 :
    ]


@pytest.mark.of_file
def test_an_import_finds_the_same_duplicates_as_a_comparison_with_every_paper(store, papers, monkeypatch):
    asked = []

    def find_and_keep(known, new, n_apart, *, dois):
        found = find_duplicates(known, new, n_apart, dois=dois)
        asked.append((new, n_apart, dois, [one.same for one in found]))
        return found

    monkeypatch.setattr(presort.data.intake.identities, "find_duplicates", find_and_keep)
    new = newcomers(papers)
    take_in(store, [ListedPaper(paper, FIRST) for paper in papers[:N_KNOWN]])
    first, later = new[: N_NEW // 2], new[N_NEW // 2 :]
    renamed = [replace(paper, title=f"{paper.title} {paper.title}") for paper in papers[:50]]
    take_in(store, [ListedPaper(paper, SECOND) for paper in [*first, *renamed]])
    take_in(store, [ListedPaper(paper, THIRD, ("lab",) * (n % 7 == 0)) for n, paper in enumerate(later)])

    (new_1, n_1, dois_1, found_1), (new_2, n_2, dois_2, found_2) = asked
    assert (new_1, n_1, len(new_2), n_2 > 0) == (first, 0, len(later), True)
    known = papers[:N_KNOWN]
    assert found_1 == match_by_reading([*known, *new_1], len(known) + n_1, dois_1)
    known = [*renamed, *known[50:], *first]
    assert found_2 == match_by_reading([*known, *new_2], len(known) + n_2, dois_2)
    assert sum(one is not None for one in [*found_1, *found_2]) > N_NEW / 2


WORDS = st.sampled_from(plain_words("Wages, jobs, towns of (in) trade and trust 2, II: reply; minimum people young"))
TITLES = st.lists(WORDS, max_size=14).map(" ".join)
NAMES = st.lists(st.sampled_from(["Ann Lee", "Lee, A.", "Bo Ek", "Cy Oz", "Wages In Trade"]), max_size=5).map(tuple)
PAPERS = st.lists(st.builds(Paper, paper_id=st.just(""), title=TITLES, abstract=TITLES, authors=NAMES), max_size=40)


@given(PAPERS, st.integers(0, 40), st.integers(0, 5), st.dictionaries(st.integers(0, 40), st.integers(0, 3)))
def test_matches_of_titles_of_few_common_words_agree_with_reading_every_paper(papers, n_known, n_apart, same_dois):
    papers = [replace(paper, paper_id=f"{number}") for number, paper in enumerate(papers)]
    n_known = min(n_known, len(papers))
    n_apart = min(n_apart, len(papers) - n_known)
    dois = {f"{number}": f"10.1234/{doi}" for number, doi in same_dois.items()}
    found = match(PapersInMemory(papers[:n_known], dois=dois), papers[n_known:], n_apart, dois=dois)
    assert found == match_by_reading(papers, n_known + n_apart, dois)
