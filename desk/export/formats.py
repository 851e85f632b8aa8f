"""Registry of export formats, used by pages and commands."""

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import BinaryIO, NamedTuple

from presort.data.exporters.amf import write_amf
from presort.data.exporters.bibtex import write_bibtex
from presort.data.exporters.csl_json import write_csl_json
from presort.data.exporters.csv_file import write_csv
from presort.data.exporters.markdown import write_markdown
from presort.data.exporters.parquet_file import write_parquet
from presort.data.exporters.redif import write_redif
from presort.data.exporters.ris import write_ris
from presort.data.records import ExportedPaper, Paper
from presort.desk.links import link_of


class PaperList(NamedTuple):
    """List of papers to export, with its title and the editor's note to readers."""

    rows: Sequence[ExportedPaper]
    title: str
    note: str = ""


Write = Callable[[PaperList, BinaryIO], None]


GROUPS = {"reading": "For reading", "references": "For reference managers", "programs": "For programs"}


class Format(NamedTuple):
    """Export format.

    Attributes
    ----------
    label : str
        Display name.
    ending : str
        File extension.
    mime : str
        Media type.
    group : str
        One of `GROUPS`.
    write : callable
        Function that writes a list of papers to a binary file.
    write_exact : callable or None
        Function that writes a variant that can be imported again without loss. Only CSV has this variant, because its
        `write` function changes some cells so that spreadsheets don't run them as formulas. None for all other formats.
    """

    label: str
    ending: str
    mime: str
    group: str
    write: Write
    write_exact: Write | None = None


def _rows(write: Callable[[Iterable[ExportedPaper], BinaryIO], None]) -> Write:
    return lambda listed, file: write(listed.rows, file)


def _papers(write: Callable[[Iterable[Paper], BinaryIO], None]) -> Write:
    return lambda listed, file: write((row.paper for row in listed.rows), file)


def _markdown(listed: PaperList, file: BinaryIO) -> None:
    write_markdown(listed.rows, file, title=listed.title, note=listed.note, link_of=link_of)


# The formats are sorted in the order of `GROUPS`.
FORMATS: dict[str, Format] = {
    "csv": Format(
        *("CSV", "csv", "text/csv", "reading"),
        _rows(partial(write_csv, bom=True)),
        _rows(partial(write_csv, is_exact=True)),
    ),
    "markdown": Format("Markdown", "md", "text/markdown", "reading", _markdown),
    "ris": Format("RIS", "ris", "application/x-research-info-systems", "references", _rows(write_ris)),
    "bibtex": Format("BibTeX", "bib", "application/x-bibtex", "references", _rows(write_bibtex)),
    "csl-json": Format(
        "CSL-JSON", "json", "application/vnd.citationstyles.csl+json", "references", _rows(write_csl_json)
    ),
    "redif": Format("ReDIF", "rdf", "text/plain", "programs", _papers(write_redif)),
    "amf": Format("AMF", "xml", "application/xml", "programs", _papers(write_amf)),
    "parquet": Format("Parquet", "parquet", "application/vnd.apache.parquet", "programs", _rows(write_parquet)),
}


def formats_of(group: str) -> dict[str, Format]:
    """Return the formats in a group as a mapping from name to format.

    Examples
    --------
    >>> list(formats_of("references"))
    ['ris', 'bibtex', 'csl-json']
    """
    return {name: kind for name, kind in FORMATS.items() if kind.group == group}
