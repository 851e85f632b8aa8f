"""Claim: at least 99.5 % of 17 producers' records are imported, and all others are reported with their line number.

Run as ``python -m benchmarks.producers [N_RECORDS]``. Writes synthetic records in the format of each producer, with
quirks that its users reported, and reads them again. A record counts as read if a paper with its title is found, and as
correct if the year, the DOI and the number of authors are also correct.
"""

import argparse
import random
import tempfile
from datetime import date
from pathlib import Path

from benchmarks.producer_records import Record, make_records
from benchmarks.producer_references import REFERENCES
from benchmarks.producer_tables import TABLES
from presort.data.importers.choices import Choices
from presort.data.importers.listings import read_listings
from presort.data.importers.problems import Findings

ISSUE = date(2026, 11, 16)
SEED = 39
PRODUCERS = TABLES | REFERENCES


def read_back(folder: Path, name: str, n_records: int) -> tuple[int, int, Findings]:
    """Write a producer's records and read them back. Returns the numbers of read and correct records, and problems."""
    rng = random.Random(f"{SEED} {name}")
    records = make_records(rng, n_records)
    write, encoding = PRODUCERS[name]
    path = folder / name
    path.write_bytes(write(records, rng).encode(encoding, "replace"))
    findings = Findings()
    listings = read_listings(path, Choices(ISSUE), problems=findings.collect(keeps_going=True))
    found = {plain(listed.paper.title): listed.paper for listed in listings}
    read = [(record, paper) for record in records if (paper := found.get(plain(record.title)))]
    right = [
        (paper.date[:4], paper.doi, len(paper.authors)) == (record.year, record.doi, n_authors(record))
        for record, paper in read
    ]
    return len(read), sum(right), findings


def plain(title: str) -> str:
    """Normalise a title, so that the result is the same with and without markup."""
    return title.removesuffix(" & more").casefold()


def n_authors(record: Record) -> int:
    """Return the number of distinct authors in a record."""
    return len({(family, given) for given, family in record.authors})


def main() -> None:
    """Write and read all files, and print the results."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("n_records", type=int, nargs="?", default=500)
    n_records = parser.parse_args().n_records
    n_read = n_right = n_unlisted = 0
    with tempfile.TemporaryDirectory() as folder:
        for name in PRODUCERS:
            read, right, findings = read_back(Path(folder), name, n_records)
            n_read, n_right = n_read + read, n_right + right
            n_unlisted += max(0, n_records - read - len(findings.skipped))
            counts = f"{len(findings.skipped):4} left out, {len(findings.repairs):5} repairs"
            print(f"{name:24} {read:6,} read, {right:6,} correct, {counts}")
            for error in findings.skipped[:5]:
                print(f"    {error}")
    n_all = n_records * len(PRODUCERS)
    shares = f"{n_read / n_all:.2%} read (at least 99.5 %), {n_right / n_all:.2%} correct"
    print(f"{len(PRODUCERS)} files, {n_all:,} records: {shares}")
    print(f"records neither read nor reported: {n_unlisted}")


if __name__ == "__main__":
    main()
