"""Map the columns of a table to fields: chosen by the user, or guessed from the column names of other programs."""

from collections.abc import Collection, Iterable, Mapping, Sequence

FIELDS: dict[str, tuple[str, ...]] = {
    # Names of each field: our own, then what others write, the better column first where a file has several. OpenAlex
    # writes like_this and.like_this, Zotero and Web of Science Like This, Scopus Like this, EndNote and RIS by two
    # letters, ASReview by rispy's names of RIS tags, such as primary_title.
    "paper_id": (
        *("paper_id", "Handle", "RePEc handle", "arXiv ID", "OpenAlex ID", "id", "EID", "UT (Unique WOS ID)", "UT"),
        *("Lens ID", "Accession Number", "Paper ID", "Identifier", "Key"),
    ),
    "title": (
        *("title", "Article Title", "Item Title", "Paper Title", "Document Title", "display_name", "Title", "TI"),
        *("primary_title", "Title Primary", "T1"),
    ),
    "abstract": ("abstract", "Abstract Note", "Abstract", "abstract_text", "Summary", "AB", "notes_abstract", "N2"),
    "authors": (
        *("authors", "Author Full Names", "Author full names", "authorships.author.display_name", "author_names"),
        *("author_display_names", "Authors", "Author", "Author(s)", "Author Names", "Creator", "AF", "AU"),
        *("first_authors", "Authors, Primary", "Primary Authors", "A1"),
    ),
    "codes": (
        *("codes", "JEL", "JEL codes", "JEL classification", "Classification codes", "classificationCodes"),
        *("Classification", "arXiv categories", "categories", "Keywords", "Author Keywords", "Subjects", "Manual Tags"),
        *("DE", "Descriptors", "Subject Terms", "Index Keywords", "MeSH Terms", "Fields of Study", "KW"),
    ),
    "series": (
        *("series", "Journal Title", "Publication Title", "Source Title", "Source title", "container-title", "Journal"),
        *("primary_location.source.display_name", "Publication Name", "Series Title", "Series", "pubtitle", "SO"),
        *("journal_name", "secondary_title", "Periodical Full", "alternate_title3", "alternate_title2"),
        *("Periodical Abbrev", "Journal/Book", "T2", "JO", "JF", "Source"),
    ),
    # Years before dates in words such as MAR 15; OpenAlex and spreadsheets write whole dates.
    "date": (
        *("date", "publication_date", "Creation Date", "Publication Year", "publication_year", "Year", "PY"),
        *("Published Year", "PubYear", "Pub Year"),
        *("Date", "Publication Date", "Date Published", "Published", "issued", "Issue Date", "Cover Date", "DA", "Y1"),
        *("Publication Date (print)", "Publication Date (online)", "Pub Date Free Form"),
    ),
    "issue": ("issue", "Issue"),  # not "Issue Date", which is IEEE's date of publication
    "reports": ("reports", "Selected by", "Report codes"),
    "doi": ("doi", "DOI", "DOI Link", "DO", "DI", "Item DOI", "Digital Object Identifier"),
    "url": (
        *("url", "Link", "URLs", "Article Link", "Document Link", "PDF Link", "primary_location.landing_page_url"),
        "UR",
    ),
    "type": (
        *("type", "Item Type", "Document Type", "Publication Type", "Type of Reference", "DT", "Content Type"),
        *("ENTRYTYPE", "TY"),
    ),
}
EXTRA = ("url", "type")  # left out rather than refused if the column that seems to hold them can't be used
NEEDED = ("title",)  # without an id or a DOI, papers go by title, year and first author
KEYWORDS = frozenset(
    ["keywords", "keyword", "authorkeywords", "indexkeywords", "descriptors", "subjectterms", "kw", "de"]
)
MOST_COLUMNS = 10_000
MOST_SHOWN = 40  # columns named in a message, and letters of each


class NoColumnError(ValueError):
    """A field has no column, or not the chosen one; the reader adds the file.

    `field` is the one whose column a person should choose, if that would do.
    """

    def __init__(self, message: str, field: str = "") -> None:
        super().__init__(message)
        self.field = field


def guess(columns: Sequence[str], chosen_columns: Mapping[str, str]) -> dict[str, str]:
    """Return which column holds each of our fields.

    A name as we write it goes before one in another case or with other spaces and punctuation. No column serves two
    fields, and chosen columns are taken first.

    Parameters
    ----------
    columns : sequence of str
        Names of the table's columns.
    chosen_columns : mapping from str to str
        Field to column, as a person says it; an empty column leaves the field out.

    Returns
    -------
    dict
        Field to column, in the order of `FIELDS`; ``paper_id`` is missing where something else serves as id.

    Raises
    ------
    NoColumnError
        If a chosen field or column is missing, a used one is repeated, or a required field has no column.

    Examples
    --------
    >>> guess(["Key", "Author", "Title", "Issue", "Volume", "Date"], {})
    {'paper_id': 'Key', 'title': 'Title', 'authors': 'Author', 'date': 'Date'}
    >>> guess(["DOI", "Titel"], {"title": "Titel"})
    {'title': 'Titel', 'doi': 'DOI'}
    """
    if len(columns) > MOST_COLUMNS:
        raise NoColumnError(f"the table has {len(columns):,} columns; at most {MOST_COLUMNS:,} are read")
    _check(columns, chosen_columns)
    found = {field: column for field, column in chosen_columns.items() if column}
    for field, names in FIELDS.items():
        free = [column for column in columns if column not in found.values()]
        if field in EXTRA:
            free = [column for column in free if columns.count(column) == 1]
        if field not in chosen_columns and (column := _find(names, free)) and not _is_number(field, column, columns):
            found[field] = column
    missing = [field for field in NEEDED if field not in found]
    if missing and not any(columns):
        raise NoColumnError("is empty; a table begins with a row that names its columns")
    if missing:
        raise NoColumnError(f"no column {' and no column '.join(missing)}; {_listed(columns)}", missing[0])
    if twice := [column for column in found.values() if columns.count(column) > 1]:
        raise NoColumnError(f"a column is there twice, {', '.join(twice)}; {_listed(columns)}")
    return {field: found[field] for field in FIELDS if field in found}


def has_title(names: Sequence[str]) -> bool:
    """Return whether one of the names is that of a column of titles.

    Examples
    --------
    >>> has_title(["DOI", "Article title"]), has_title(["Search query", "wages"])
    (True, False)
    """
    return _find(FIELDS["title"], names) is not None


def other_dates(columns: Sequence[str], fields: Mapping[str, str], *, but: Collection[str]) -> list[str]:
    """Return further columns that hold the date of a paper, which may be more exact than the year.

    Examples
    --------
    >>> other_dates(["Title", "Publication Year", "Issue Date"], {"date": "Publication Year"}, but=())
    ['Issue Date']
    """
    if "date" not in fields:
        return []
    free = [column for column in columns if column not in fields.values() and columns.count(column) == 1]
    names = {_plain(name) for name in FIELDS["date"]}
    return [column for column in free if _plain(column) in names and column not in but]


def holds_keywords(column: str) -> bool:
    """Return whether a column is one of keywords by its name."""
    return _plain(column) in KEYWORDS


def _check(columns: Sequence[str], chosen_columns: Mapping[str, str]) -> None:
    if unknown := [field for field in chosen_columns if field not in FIELDS]:
        raise NoColumnError(f"{', '.join(unknown)} is nothing that a paper has; there are {', '.join(FIELDS)}")
    if absent := [column for column in chosen_columns.values() if column and column not in columns]:
        raise NoColumnError(f"no column {' and no column '.join(absent)}; {_listed(columns)}")
    taken = [column for column in chosen_columns.values() if column]
    if twice := [column for column in dict.fromkeys(taken) if taken.count(column) > 1]:
        raise NoColumnError(f"column {twice[0]} is given for two things; each needs its own")


def _find(names: Iterable[str], columns: Sequence[str]) -> str | None:
    as_written = next((name for name in names if name in columns), None)
    plain = {_plain(column): column for column in reversed(columns)}  # the first of two counts
    return as_written or next((plain[_plain(name)] for name in names if _plain(name) in plain), None)


def _plain(name: str) -> str:
    return "".join(filter(str.isalnum, name.casefold()))


def _is_number(field: str, column: str, columns: Sequence[str]) -> bool:
    """Distinguish the number of a journal's issue, which comes with a volume, from the date of ours."""
    return field == "issue" and _plain(column) == "issue" and "volume" in map(_plain, columns)


def _listed(columns: Sequence[str]) -> str:
    shown = ", ".join(column[:MOST_SHOWN] for column in columns[:MOST_SHOWN])
    more = f" and {len(columns) - MOST_SHOWN} more" if len(columns) > MOST_SHOWN else ""
    return f"the columns are {shown}{more}"
