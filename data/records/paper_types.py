"""Paper types, and their names in the formats that Presort reads and writes."""

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple


class PaperType(NamedTuple):
    """Paper type with its name or names in each format.

    Attributes
    ----------
    name : str
        Name in Presort, as used in papers, tables, AMF and on screen.
    csl : str
        Name in the Citation Style Language (CSL).
    ris : tuple of str
        Values of TY in RIS. Exports use the first value.
    bibtex : tuple of str
        BibTeX entry types. Exports use the first type.
    redif : str
        Name of the ReDIF template.
    words : tuple of str
        Other names used by databases, publishers and repositories, including COAR vocabulary codes.
    """

    name: str
    csl: str
    ris: tuple[str, ...]
    bibtex: tuple[str, ...]
    redif: str = "Paper"
    words: tuple[str, ...] = ()


UNKNOWN = PaperType("", "document", ("GEN",), ("misc",))
# The order matters, because a ReDIF template is read as the first type that uses it.
TYPES = (
    PaperType(
        *("report", "report", ("RPRT", "WP"), ("techreport", "report")),
        words=(
            *(
                "working paper",
                "discussion paper",
                "research report",
                "technical report",
                "mpra paper",
                "paper",
            ),
            *("policy brief", "c_8042", "c_93fc", "c_18ws", "c_18gh"),
        ),
    ),
    PaperType(
        *("journal article", "article-journal", ("JOUR", "EJOUR", "JFULL", "INPR", "ABST"), ("article",), "Article"),
        words=(
            *("article", "article journal", "research article", "original article", "review article", "review"),
            *("article in press", "article; early access", "review; early access", "short communication", "letter"),
            *("editorial", "editorial material", "erratum", "note", "data paper", "contribution to periodical"),
            *("journal paper", "c_6501", "c_2df8fbb1", "c_dcae04bc"),
        ),
    ),
    PaperType(*("preprint", "article", ("UNPB",), ("unpublished",)), words=("posted content", "eprint", "c_816b")),
    PaperType(
        *("book", "book", ("BOOK", "EBOOK", "EDBOOK"), ("book", "mvbook", "collection", "proceedings"), "Book"),
        words=("monograph", "edited book", "reference book", "c_2f33"),
    ),
    PaperType(
        *("chapter", "chapter", ("CHAP", "ECHAP"), ("incollection", "inbook"), "Chapter"),
        words=("book chapter", "book part", "book section", "part of book", "c_3248"),
    ),
    PaperType(
        *("conference paper", "paper-conference", ("CPAPER", "CONF"), ("inproceedings", "conference")),
        words=(
            *("proceedings paper", "proceedings article", "article; proceedings paper", "paper conference"),
            *("conference object", "conference item", "c_5794", "c_c94f"),
        ),
    ),
    PaperType(
        *("thesis", "thesis", ("THES",), ("phdthesis", "mastersthesis", "thesis")),
        words=(
            *("dissertation", "doctoral thesis", "phd thesis", "master thesis"),
            *("masters thesis", "master's thesis", "bachelor thesis"),
            *("c_46ec", "c_db06", "c_bdcc", "c_7a1f"),
        ),
    ),
    PaperType("software", "software", ("COMP",), ("software",), words=("computer program", "c_5ce6")),
    PaperType("dataset", "dataset", ("DATA",), ("dataset",), words=("data set", "c_ddb1")),
    PaperType("web page", "webpage", ("ELEC", "WEB"), ("online", "electronic", "www"), words=("website",)),
    PaperType("blog post", "post-weblog", ("BLOG",), (), words=("post weblog",)),
    PaperType("newspaper article", "article-newspaper", ("NEWS",), (), words=("article newspaper",)),
    PaperType("magazine article", "article-magazine", ("MGZN",), (), words=("article magazine",)),
    PaperType("presentation", "speech", ("SLIDE",), (), words=("lecture", "c_8544")),
    PaperType("patent", "patent", ("PAT",), ("patent",), words=("c_15cd",)),
)

BETWEEN_WORDS = re.compile(r"[\s_-]+")
BEFORE_A_NAME = re.compile(r".*[/#](?=[^/#]+$)|^doc-type:")  # prefix of names such as info:eu-repo/semantics/article


def _plain(text: str) -> str:
    """Remove case, prefix and spaces, because sources write "Book Section", "book-section" and "bookSection"."""
    return BETWEEN_WORDS.sub("", BEFORE_A_NAME.sub("", text.strip().casefold()))


BY_NAME: Mapping[str, PaperType] = MappingProxyType({one.name: one for one in TYPES})
BY_CSL: Mapping[str, str] = MappingProxyType({one.csl: one.name for one in TYPES})
_BY_WORD = {_plain(word): one.name for one in TYPES for word in (one.name, *one.ris, *one.bibtex, *one.words)}


def paper_type(name: str) -> PaperType:
    """Return the type with this name, or `UNKNOWN` if there is none.

    Examples
    --------
    >>> paper_type("journal article").ris[0], paper_type("").ris[0]
    ('JOUR', 'GEN')
    """
    return BY_NAME.get(name, UNKNOWN)


def type_of(text: str) -> str:
    """Convert a source's name for a type to the name in Presort. Returns an empty string for unknown names.

    Use `BY_CSL` for CSL names, because CSL calls a preprint an article.

    Examples
    --------
    >>> type_of("JOUR"), type_of("techreport"), type_of("Book-Chapter"), type_of("info:eu-repo/semantics/workingPaper")
    ('journal article', 'report', 'chapter', 'report')
    >>> type_of("journalArticle"), type_of("Text")
    ('journal article', '')
    """
    return _BY_WORD.get(_plain(text), "")
