"""Claim: 98 % of slightly changed duplicates are found, and at most 0.1 % are matched with a different paper.

Run as ``python -m benchmarks.matching [FILE]`` with ``arxiv.parquet``. One paper in twenty is imported again under
another id, changed in one or two ways, and half of these copies have no abstract. Half of the copies were used to
develop the rules. The others, with newly drawn changes, are held out. Then the same copies are matched without their
originals. Any match is then wrong, unless the file itself contains the duplicate. Finally, all papers are imported, and
then the copies. The import of 1,000 copies should take under 5 s. Times are processor times.
"""

import argparse
import tempfile
import time
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Callable
from dataclasses import replace
from datetime import date
from itertools import chain, combinations
from pathlib import Path

import numpy as np
import pandas as pd

from presort.data.duplicates.candidates import PapersInMemory
from presort.data.duplicates.matching import find_duplicates, likeness, match
from presort.data.duplicates.titles import SUBTITLE
from presort.data.intake.commit_import import commit_import
from presort.data.records import ListedPaper, Paper
from presort.data.store import open_store
from presort.data.text.words import plain_words

SHARE = 20  # one paper in every SHARE is imported again
LATEX = {"\u0301": "'", "\u0300": "`", "\u0308": '"', "\u0302": "^", "\u0303": "~"}
LETTERS = "abcdefghijklmnopqrstuvwxyz"


def slip(paper: Paper, rng: np.random.Generator) -> Paper:
    """Misspell a word in the title: omit, double, replace or move a letter."""
    words = paper.title.split()
    long = [place for place, word in enumerate(words) if len(word) >= 4]
    if not long:
        return paper
    place = int(rng.choice(long))
    word, at = words[place], int(rng.integers(len(words[place]) - 1))
    letter = LETTERS[rng.integers(len(LETTERS))]
    slips = [
        word[:at] + word[at + 1 :],
        word[:at] + word[at] + word[at:],
        word[:at] + letter + word[at + 1 :],
        word[:at] + word[at + 1] + word[at] + word[at + 2 :],
    ]
    words[place] = slips[rng.integers(len(slips))]
    return replace(paper, title=" ".join(words))


def drop_word(paper: Paper, rng: np.random.Generator) -> Paper:
    """Remove a word from a title of four or more words."""
    words = paper.title.split()
    if len(words) < 4:
        return paper
    del words[rng.integers(len(words))]
    return replace(paper, title=" ".join(words))


def cut_subtitle(paper: Paper, rng: np.random.Generator) -> Paper:
    """Remove the text after the first colon or dash."""
    found = SUBTITLE.search(paper.title)
    return replace(paper, title=paper.title[: found.start()]) if found and found.start() > 0 else paper


def initials(paper: Paper, rng: np.random.Generator) -> Paper:
    """Abbreviate given names to initials, before or after the family name."""
    authors = []
    for author in paper.authors:
        *given, family = author.split()
        short = " ".join(f"{name[0]}." for name in given)
        authors.append(author if not given else f"{short} {family}" if rng.random() < 0.5 else f"{family}, {short}")
    return replace(paper, authors=tuple(authors))


def other_letters(paper: Paper, rng: np.random.Generator) -> Paper:
    """Write accents in LaTeX or remove them, and change capitalisation, hyphens and quotes."""

    def rewritten(text: str) -> str:
        parts = unicodedata.normalize("NFD", text)
        if rng.random() < 0.5:
            return "".join(part for part in parts if not unicodedata.combining(part))
        letters: list[str] = []
        for part in parts:
            if part in LATEX and letters:
                letters[-1] = f"{{\\{LATEX[part]}{letters[-1]}}}"
            else:
                letters.append(part)
        return "".join(letters)

    title = rewritten(paper.title).replace("$", "" if rng.random() < 0.5 else "$")
    title = title.replace("-", " ") if rng.random() < 0.3 else title
    title = title.upper() if "\\" not in title and rng.random() < 0.3 else title.replace(" and ", r" \& ")
    return replace(paper, title=title, authors=tuple(map(rewritten, paper.authors)))


CHANGES: tuple[Callable[[Paper, np.random.Generator], Paper], ...] = (
    slip,
    drop_word,
    cut_subtitle,
    initials,
    other_letters,
)


def change_paper(paper: Paper, number: int, rng: np.random.Generator) -> tuple[Paper, str]:
    """Return a copy of a paper with another id and one or two changes, and the names of the changes."""
    copy, ways = replace(paper, abstract=paper.abstract if rng.random() < 0.5 else ""), list[str]()
    wanted = rng.integers(1, 3)
    for place in rng.permutation(len(CHANGES)):
        way = CHANGES[place]
        before, copy = copy, way(copy, rng)
        ways += [way.__name__] * (
            copy != before
        )  # some changes have no effect, such as removing the subtitle of a title without one
        if len(ways) == wanted:
            break
    return replace(copy, paper_id=f"copy:{number}"), " + ".join(sorted(ways))


def read_papers(file: Path) -> list[Paper]:
    """Read the papers in a file."""
    columns = ["paper_id", "title", "abstract", "authors"]
    rows = pd.read_parquet(file, columns=columns).fillna("").drop_duplicates("paper_id")
    texts = (rows[column].astype(str).tolist() for column in columns)
    return [
        Paper(paper_id, title, abstract, tuple(filter(None, authors.split("; "))))
        for paper_id, title, abstract, authors in zip(*texts, strict=True)
    ]


def same_in_file(papers: list[Paper]) -> list[tuple[Paper, Paper]]:
    """Return pairs of papers with the same authors and the same words in the title."""
    by_title = defaultdict(list)
    for paper in papers:
        by_title[plain_words(paper.title)].append(paper)
    pairs = chain.from_iterable(combinations(same, 2) for same in by_title.values())
    return [(one, other) for one, other in pairs if likeness(one, other)]


def report(
    name: str, papers: list[Paper], rows: list[int], known: PapersInMemory, rng: np.random.Generator
) -> list[Paper]:
    """Match changed copies of papers with known papers, and print the results. Returns the copies."""
    copies, ways = zip(*(change_paper(papers[row], row, rng) for row in rows), strict=True)
    begin = time.process_time()
    # separate calls, so copies are not compared with each other
    matches = [find_duplicates(known, [copy])[0] for copy in copies]
    seconds = time.process_time() - begin
    by_id = {paper.paper_id: paper for paper in papers}
    n_found, n_possible, twins, wrong, lost = 0, 0, [], [], []
    for row, copy, way, (found, possible, _) in zip(rows, copies, ways, matches, strict=True):
        if found is None:
            lost.append((way, papers[row], copy))
            n_possible += possible is not None and possible.paper_id == papers[row].paper_id
        elif found.paper_id == papers[row].paper_id:
            n_found += 1
        elif likeness(papers[row], by_id[found.paper_id]) == 1:
            twins.append((way, papers[row], by_id[found.paper_id]))
        else:
            wrong.append((way, papers[row], by_id[found.paper_id]))
    print(
        f"{name}: {len(rows):,} copies, found {n_found / len(rows):.2%}, wrong match {len(wrong) / len(rows):.3%} "
        f"({len(wrong)}), duplicate in the file {len(twins)}, no match {len(lost)}, "
        f"{n_possible} of these proposed for review; {seconds * 1000 / len(rows):.2f} s per 1,000"
    )
    for way, count in Counter(way for way, *_ in lost).most_common(6):
        print(f"    not found: {count:4} of {sum(way == each for each in ways):4} {way}")
    for way, paper, other in wrong:
        print(f"    wrong, {way}: {paper.title} | {other.title}")
    return list(copies)


def import_copies(papers: list[Paper], copies: list[Paper]) -> None:
    """Import 1,000 copies and then the rest into a workspace that contains all originals. Prints the matches."""
    by_id = {paper.paper_id: paper for paper in papers}
    first, later = date(2026, 11, 2), date(2026, 11, 9)
    with tempfile.TemporaryDirectory() as folder:
        store = open_store(Path(folder))
        commit_import(store, [ListedPaper(paper, first) for paper in papers], person="benchmark")
        n_found, wrong = 0, list[str]()
        for some in (copies[:1000], copies[1000:]):
            begin, begin_seconds = time.perf_counter(), time.process_time()
            matched = commit_import(store, [ListedPaper(paper, later) for paper in some], person="benchmark").matched
            seconds, passed = time.process_time() - begin_seconds, time.perf_counter() - begin
            print(f"import of {len(some):,} copies: {len(matched):,} found, {seconds:.2f} s, {passed:.2f} s wall-clock")
            for change in matched:
                original, other = papers[int(change.paper_id.removeprefix("copy:"))], by_id[change.duplicate_of]
                n_found += other is original
                if other is not original and likeness(original, other) < 1:
                    wrong.append(f"    wrong: {original.title} | {other.title}")
        store.close()
    print(f"imported: {n_found / len(copies):.2%} found, wrong match {len(wrong) / len(copies):.3%}", *wrong, sep="\n")


def main() -> None:
    """Print a line for the development set, the held-out set, and the papers that should have no match."""
    parser = argparse.ArgumentParser(description=__doc__)
    here = Path(__file__).parents[1]
    parser.add_argument("file", type=Path, nargs="?", default=here.parent / "shared" / "corpus" / "arxiv.parquet")
    papers = read_papers(parser.parse_args().file)
    begin = time.process_time()
    known = PapersInMemory(papers)
    print(f"{len(papers):,} papers, indexed in {time.process_time() - begin:.2f} s")
    twins = same_in_file(papers)
    print(f"{len(twins)} pairs in the file have the same title and authors: duplicates in the original file")
    order = np.random.default_rng(1).permutation(len(papers)).tolist()
    half = len(papers) // SHARE // 2
    held_out = order[-3 * half : -2 * half]
    copies = report("development", papers, order[:half], known, np.random.default_rng(2))
    copies += report("held out", papers, held_out, known, np.random.default_rng(6))

    left = {*order[:half], *held_out}
    others = [paper for row, paper in enumerate(papers) if row not in left]
    without, by_id = PapersInMemory(others), {paper.paper_id: paper for paper in others}
    found = [(copy, by_id[hit.paper_id]) for copy in copies if (hit := match(without, [copy])[0])]
    print(f"without their originals: {len(found)} of {len(copies):,} found")
    for copy, other in found:
        print(f"    {copy.title} | {other.title}")
    import_copies(papers, copies)


if __name__ == "__main__":
    main()
