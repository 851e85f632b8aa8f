"""Importer for Atom and RSS feeds from arXiv, publishers and other sources.

feedparser is not used, because it takes a minute to parse a name of 100,000 characters, and fails on some malformed
files.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path

from lxml import etree  # type: ignore[import-untyped]

from presort.data.errors import UnreadableFileError
from presort.data.importers.fields import split_names
from presort.data.importers.problems import STRICT, Problems
from presort.data.importers.references import first_doi, to_paper
from presort.data.importers.tex import plain
from presort.data.importers.xml_records import RecordKind, read_records
from presort.data.records import Entry
from presort.data.text.cleaning import clean
from presort.data.text.prose import plain_text

KIND = RecordKind("a feed", ("feed", "rss", "RDF"), ("entry", "item"), 2)
PREFIXES = {
    "http://purl.org/dc/elements/1.1/": "dc:",
    "http://arxiv.org/schemas/atom": "arxiv:",
    "http://purl.org/rss/1.0/modules/content/": "content:",
}
PLAIN = ("", "http://www.w3.org/2005/Atom", "http://purl.org/atom/ns#", "http://purl.org/rss/1.0/")
PRISM = "http://prismstandard.org/namespaces/"  # namespace prefix, which is followed by a version number
ABOUT = "{http://www.w3.org/1999/02/22-rdf-syntax-ns#}about"
DATES = ("published", "issued", "pubdate", "dc:date", "prism:publicationdate", "updated", "modified")
ARXIV_ID = re.compile(
    r"(?:https?://(?:[a-z]+\.)?arxiv\.org/(?:abs|pdf)/|(?:oai:)?arxiv(?:\.org)?:)"
    r"([0-9]{4}\.[0-9]{4,5}|[a-z.-]+/[0-9]{7})(?:v[0-9]+)?(?:\.pdf)?",
    re.IGNORECASE,
)
ABSTRACT = re.compile(r"arXiv:\S+\s+Announce Type:\s*(\S+)\s+Abstract:\s*", re.IGNORECASE)
DESCRIPTIONS = ("summary", "description", "content", "content:encoded", "dc:description", "prism:teaser")
LINE_END = re.compile(r"</p>|</div>|<br\s*/?>|\n", re.IGNORECASE)
LABELLED = re.compile(r"(Publication date|Source|Author\(s\)):\s*(.*)", re.IGNORECASE | re.DOTALL)
ABSTRACT_HEAD = re.compile(r"^\s*(<[^<>]*>\s*)*abstract\s*(:|\n|(</[^<>]*>\s*)+)", re.IGNORECASE)
OF_ISSUE = re.compile(r"[,;:] (Volume|Vol|Issue|No|EarlyView|Early View|Ahead of Print)\b.*$", re.DOTALL)
# Line that Wiley and other publishers write in place of an abstract, such as "TAXON, EarlyView."
ISSUE_LINE = re.compile(r".{1,200}, (EarlyView|Early View|Accepted Article|Ahead of Print|Volume \d+)[^.]{0,100}\.?")
REPLACEMENTS = ("replace", "replace-cross")
MAIL_AND_NAME = re.compile(r"[^\s()@]+@[^\s()@]+ \(([^()]+)\)")  # RSS authors are written "ann@example.org (Ann Lee)"

Fields = Mapping[str, list[etree._Element]]  # mapping from names, such as "title" or "dc:creator", to elements


def read_feed(path: Path, *, problems: Problems = STRICT) -> Iterator[Entry]:
    """Yield the papers in an Atom or RSS feed, in file order.

    An arXiv paper's id is written without the version: ``arXiv:2401.01234``. Entries that announce a new version of a
    paper are skipped, because arXiv has already announced the paper. In other feeds, the paper id is the DOI, or else
    the entry's id or link. Links are not followed.

    Parameters
    ----------
    path : Path
    problems : Problems
        Receives each repair, and each entry that has no title or can't be parsed.

    Raises
    ------
    UnreadableFileError
        If the file is missing or isn't a feed, or an entry is too large. The error is raised during iteration.
    """
    for record in read_records(path, KIND, problems):
        try:
            entry = _entry(path, record.line, record.element, problems)
        except UnreadableFileError as error:
            problems.skip(error)
            continue
        if entry:
            yield entry


def arxiv_id(text: str) -> str:
    """Return an arXiv id or URL in normalised form, or an empty string if the text is neither.

    Examples
    --------
    >>> arxiv_id("http://arxiv.org/abs/2401.01234v2"), arxiv_id("oai:arXiv.org:hep-th/9901001"), arxiv_id("10.1/x")
    ('arXiv:2401.01234', 'arXiv:hep-th/9901001', '')
    """
    found = ARXIV_ID.fullmatch(text.strip())
    return f"arXiv:{found[1]}" if found else ""


def _fields(item: etree._Element) -> Fields:
    fields = defaultdict(list)
    for child in item.iterchildren(etree.Element):
        name = etree.QName(child)
        space = name.namespace or ""
        prefix = "" if space in PLAIN else "prism:" if space.startswith(PRISM) else PREFIXES.get(space)
        if prefix is not None:
            fields[prefix + name.localname.lower()].append(child)
    return fields


def _entry(path: Path, line: int | None, item: etree._Element, problems: Problems) -> Entry | None:
    fields = _fields(item)
    ids = [*_texts(fields, "id", "guid"), item.get(ABOUT, ""), *_links(fields)]
    if arxiv := next(filter(None, map(arxiv_id, ids)), ""):
        return _arxiv_entry(path, line, arxiv, fields, problems)
    candidates = [*_texts(fields, "prism:doi", "dc:identifier"), *ids]
    doi = first_doi(candidates)
    labelled, abstracts = _descriptions(fields)
    paper = to_paper(
        path,
        line,
        problems,
        ids=[doi, *ids],
        titles=_texts(fields, "title"),
        authors=_authors(fields) or (split_names(labelled["author(s)"]) if labelled.get("author(s)") else []),
        abstracts=abstracts,
        codes=_terms(fields),
        series=_journals(fields, labelled.get("source", "")),
        dates=[labelled.get("publication date", ""), *_dates(fields)],
        dois=[doi],
        urls=_links(fields),
        types=_texts(fields, "dc:type"),
    )
    return Entry(paper, line)


def _descriptions(fields: Fields) -> tuple[dict[str, str], list[str]]:
    """Return the labelled values in ScienceDirect's descriptions, by label, and the unlabelled texts, longest first."""
    labelled, rests = dict[str, str](), list[str]()
    for text in _texts(fields, *DESCRIPTIONS):
        parts = [(part, LABELLED.match(clean(plain_text(part)))) for part in LINE_END.split(text)]
        is_labelled = any(found and found[1].lower() != "source" for _, found in parts)
        labelled |= {found[1].lower(): found[2] for _, found in parts if found and is_labelled}
        rest = " ".join(part for part, found in parts if not found) if is_labelled else text
        rests.append(ABSTRACT_HEAD.sub("", rest))
    lengths = {rest: len(text) for rest in rests if not ISSUE_LINE.fullmatch(text := clean(plain_text(rest)))}
    return labelled, sorted(lengths, key=lengths.__getitem__, reverse=True)


def _journals(fields: Fields, source: str) -> Iterator[str]:
    """Yield journal names, without volume and page numbers.

    The paper's own title is skipped, because some feeds write it in the journal field.
    """
    titles = {_letters(text) for text in _texts(fields, "title")}
    for text in (*_texts(fields, "prism:publicationname", "dc:source"), source):
        name = OF_ISSUE.sub("", clean(plain_text(text)))
        if _letters(name) not in titles:
            yield name


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, plain_text(text).casefold()))


def _arxiv_entry(path: Path, line: int | None, arxiv: str, fields: Fields, problems: Problems) -> Entry | None:
    abstract = next(_texts(fields, "summary", "description"), "")
    announced = ABSTRACT.match(abstract)
    kind = next(_texts(fields, "arxiv:announce_type"), announced[1] if announced else "")
    if kind.lower() in REPLACEMENTS:
        return None
    names = _authors(fields)
    if kind:  # the entry is an arXiv announcement, which lists all authors in one element
        names = [name for several in names for name in several.split(",")]
    first = [each.get("term", "") for each in fields["arxiv:primary_category"]]
    codes = [code.strip() for term in [*first, *_terms(fields)] for code in re.split("[,;]", term)]
    paper = to_paper(
        path,
        line,
        problems,
        ids=[arxiv],
        titles=map(plain, _texts(fields, "title")),
        authors=map(plain, names),
        abstracts=[plain(abstract[announced.end() if announced else 0 :])],
        codes=dict.fromkeys(codes),
        dates=_dates(fields),
        dois=_texts(fields, "arxiv:doi"),
        urls=_links(fields),
        types=["preprint"],
    )
    return Entry(paper, line)


def _texts(fields: Fields, *names: str) -> Iterator[str]:
    return ("".join(each.itertext()).strip() for name in names for each in fields[name])


def _links(fields: Fields) -> Iterator[str]:
    for link in fields["link"]:
        if link.get("rel", "alternate") == "alternate":
            yield (link.get("href") or link.text or "").strip()


def _authors(fields: Fields) -> list[str]:
    within = [each.findtext("{*}name") or each.text or "" for each in fields["author"]]
    names = [name.strip() for name in [*within, *_texts(fields, "dc:creator")]]
    names = [found[1] if (found := MAIL_AND_NAME.fullmatch(name)) else name for name in names]
    return split_names(names[0]) if len(names) == 1 else names  # many feeds list all authors in one element


def _terms(fields: Fields) -> list[str]:
    return [each.get("term") or each.text or "" for name in ("category", "dc:subject") for each in fields[name]]


def _dates(fields: Fields) -> Iterator[str]:
    return _texts(fields, *DATES)
