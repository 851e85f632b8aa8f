"""Claim: at least 99.5 % of the merged pairs are duplicates, and recall is no lower than in earlier versions.

Run as ``python -m benchmarks.duplicates [FOLDER]``, with ``arxiv.parquet`` and ``nber.parquet`` in the folder.
`duplicates.csv` lists the ids of pairs of real papers that have similar titles and an author in common. These pairs
were labelled by hand, based on titles, authors and abstracts. Pairs that could not be labelled are omitted. Further
pairs are generated: changed copies as in a second import, and different papers with similar titles. The second paper of
each pair is compared with the first one and with all papers in the file that don't belong to a pair.
"""

import argparse
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd

from benchmarks.matching import cut_subtitle, initials, other_letters, slip
from presort.data.duplicates.candidates import ConcatenatedPapers, PapersInMemory
from presort.data.duplicates.matching import find_duplicates
from presort.data.records import Paper

LABELS = Path(__file__).with_name("duplicates.csv")
BETWEEN = {"arxiv": "; ", "nber": ", "}  # separates authors
N_SAME, N_DIFFERENT = 120, 60  # number of generated pairs per file
BRITISH = (("bor ", "bour "), ("ior", "iour"), ("zation", "sation"), ("ize", "ise"), ("eling", "elling"))
BRITISH_ENDS = (("enter", "entre"), ("efense", "efence"), ("rogram ", "rogramme "))
OTHER_WORDS = (
    *(("inflation", "deflation"), ("endogenous", "exogenous"), ("employment", "unemployment"), ("macro", "micro")),
    *(("stable", "unstable"), ("symmetric", "asymmetric"), ("linear", "nonlinear"), ("export", "import")),
    *(("optimal", "optical"), ("trade", "grade"), ("firms", "farms"), ("women", "men"), ("bank", "rank")),
    *(("austria", "australia"), ("iran", "iraq"), ("india", "indiana"), ("alpha", "beta"), ("upper", "lower")),
    *(("public", "private"), ("short", "long"), ("health", "wealth"), ("wage", "wave"), ("price", "prize")),
    *(("under", "over"), ("convex", "concave"), ("positive", "negative"), ("directed", "undirected")),
)
SERIES = (
    ": Part II",
    ", Part B",
    " II",
    ": A reply",
    ": Comment",
    " revisited",
    " (erratum)",
    " in 1990",
    ": the sequel",
)
REPLIES = ("Comment on ", "Erratum: ", "Corrigendum to ", "A note on ", "No ", "Three ", "Discussion of ")

Change = Callable[[Paper, np.random.Generator], Paper]


class Pair(NamedTuple):
    """Pair of records, with a flag that is True if both are the same paper, and the origin of the pair."""

    known: Paper
    new: Paper
    is_same: bool
    kind: str


def british(paper: Paper, rng: np.random.Generator) -> Paper:
    """Use British spelling in the title and the abstract."""
    title, abstract = f"{paper.title} ", paper.abstract
    for american, other in (*BRITISH, *BRITISH_ENDS):
        title, abstract = title.replace(american, other), abstract.replace(american, other)
    return replace(paper, title=title.strip(), abstract=abstract)


def as_html(paper: Paper, rng: np.random.Generator) -> Paper:
    """Add HTML tags and entities, as publishers do."""
    first, _, rest = paper.title.partition(" ")
    title = f"<i>{first}</i> {rest}".replace(" and ", " &amp; ")
    return replace(paper, title=title, abstract=f"<p>{paper.abstract}</p>")


def truncated(paper: Paper, rng: np.random.Generator) -> Paper:
    """Truncate the abstract."""
    return replace(paper, abstract=paper.abstract[: int(len(paper.abstract) * rng.uniform(0.2, 0.7))])


def without_abstract(paper: Paper, rng: np.random.Generator) -> Paper:
    """Remove the abstract."""
    return replace(paper, abstract="")


def as_version(paper: Paper, rng: np.random.Generator) -> Paper:
    """Add a version name to the title."""
    return replace(paper, title=f"{paper.title} ({rng.choice(['extended version', 'working paper', 'full version'])})")


def in_capitals(paper: Paper, rng: np.random.Generator) -> Paper:
    """Convert the title and the authors' names to capitals."""
    return replace(paper, title=paper.title.upper(), authors=tuple(name.upper() for name in paper.authors))


WAYS: tuple[Change, ...] = (
    *(slip, slip, cut_subtitle, initials, other_letters, british, as_html, truncated, truncated, without_abstract),
    *(as_version, in_capitals),
)


def change_twice(paper: Paper, rng: np.random.Generator) -> tuple[Paper, str]:
    """Change a paper in two ways, as if it came from a second source. Also return the names of the changes."""
    new, names = paper, list[str]()
    for place in rng.permutation(len(WAYS)):
        before, new = new, WAYS[place](new, rng)
        names += [WAYS[place].__name__] * (new != before)
        if len(names) == 2:
            break
    return new, " + ".join(sorted(names))


def another(paper: Paper, number: int, abstract: str, rng: np.random.Generator) -> tuple[Paper, str] | None:
    """Return a different paper by the same authors with a similar title, or None if no word can be replaced."""
    title, kind = paper.title, number % 3
    if kind == 0:
        return replace(paper, title=title + str(rng.choice(SERIES)), abstract=abstract), "part, year or sequel"
    if kind == 1:
        return replace(paper, title=str(rng.choice(REPLIES)) + title, abstract=abstract), "reply, note or negation"
    folded = f" {title.casefold()} "
    for one, other in OTHER_WORDS:
        for old, new in ((one, other), (other, one)):
            if f" {old} " in folded or f" {old}s " in folded:
                renamed = folded.replace(f" {old}", f" {new}").strip()
                text = paper.abstract.casefold().replace(old, new) if number % 2 else ""
                return replace(paper, title=renamed, abstract=text), "one word replaced"
    return None


def read_papers(folder: Path, name: str) -> list[Paper]:
    """Read the papers in a file."""
    columns = ["paper_id", "title", "abstract", "authors"]
    rows = pd.read_parquet(folder / f"{name}.parquet", columns=columns).fillna("").drop_duplicates("paper_id")
    return [
        Paper(paper_id, title, abstract, tuple(filter(None, authors.split(BETWEEN[name]))))
        for paper_id, title, abstract, authors in rows.itertuples(index=False)
    ]


def labelled_pairs(papers: list[Paper], name: str) -> Iterator[Pair]:
    """Yield the pairs of papers from a file that were labelled by hand."""
    by_id = {paper.paper_id: paper for paper in papers}
    labels = pd.read_csv(LABELS)
    for _, paper_id, other, label in labels[labels.corpus == name].astype(str).itertuples(index=False):
        is_same = label == "same"
        yield Pair(by_id[paper_id], by_id[other], is_same, "real versions" if is_same else "real, similar")


def generate_pairs(papers: list[Paper], rng: np.random.Generator) -> Iterator[Pair]:
    """Yield generated pairs: a paper and its changed copy, or two different papers with similar titles."""
    order = rng.permutation(len(papers)).tolist()
    for row in order[:N_SAME]:
        new, ways = change_twice(papers[row], rng)
        yield Pair(papers[row], new, True, ways)
    n_made = 0
    for row in order[N_SAME:]:
        abstract = papers[order[row % N_SAME]].abstract if row % 2 else ""
        if (other := another(papers[row], n_made, abstract, rng)) is not None:
            yield Pair(papers[row], other[0], False, other[1])
            n_made += 1
        if n_made == N_DIFFERENT:
            return


def main() -> None:
    """Print the numbers of pairs merged, proposed for review and kept separate, and list the wrong and missed pairs."""
    parser = argparse.ArgumentParser(description=__doc__)
    here = Path(__file__).parents[1]
    parser.add_argument("folder", type=Path, nargs="?", default=here.parent / "shared" / "corpus")
    folder, counts, wrong = parser.parse_args().folder, Counter[tuple[bool, str]](), list[str]()
    lost = defaultdict[str, int](int)
    for name in BETWEEN:
        papers = read_papers(folder, name)
        pairs = [*labelled_pairs(papers, name), *generate_pairs(papers, np.random.default_rng(38))]
        used = {paper.paper_id for pair in pairs for paper in pair[:2]}
        others = PapersInMemory([paper for paper in papers if paper.paper_id not in used])
        for pair in pairs:
            known = ConcatenatedPapers(others, PapersInMemory([pair.known]))
            (found,) = find_duplicates(known, [replace(pair.new, paper_id="new")])
            verdict = "merged" if found.same else "proposed" if found.possible else "separate"
            counts[pair.is_same, verdict] += 1
            if found.same and not (pair.is_same and found.same.paper_id == pair.known.paper_id):
                wrong.append(f"    wrong, {pair.kind}: {pair.known.title} | {pair.new.title}")
            if pair.is_same and not found.same:
                lost[pair.kind] += 1
    n_merged, n_same = counts[True, "merged"] + counts[False, "merged"], sum(n for key, n in counts.items() if key[0])
    print(f"{sum(counts.values())} pairs, {n_same} of them duplicates")
    print(
        f"merged: {n_merged}, precision {1 - len(wrong) / n_merged:.2%}, recall {counts[True, 'merged'] / n_same:.2%}"
    )
    for is_same, label in ((True, "duplicates"), (False, "different papers")):
        print(f"{label}: " + ", ".join(f"{counts[is_same, v]} {v}" for v in ("merged", "proposed", "separate")))
    for kind, n in sorted(lost.items(), key=lambda item: -item[1]):
        print(f"    not merged: {n} {kind}")
    print(*wrong, sep="\n")


if __name__ == "__main__":
    main()
