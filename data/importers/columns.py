"""Map fields to table columns, either as chosen by the user or by recognising the column names of other programs."""

from collections.abc import Collection, Iterable, Mapping, Sequence

FIELDS: dict[str, tuple[str, ...]] = {
    # Column names for each field: Presort's own name, followed by those that other programs use. If a file has several,
    # the one listed first is used, so the best columns come first. OpenAlex writes "like_this" and "and.like_this",
    # Zotero and Web of Science write "Like This", Scopus writes "Like this", and EndNote and RIS write two letters.
    # ASReview writes rispy's names for RIS tags, such as "primary_title".
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
    # Columns with full dates, which OpenAlex and spreadsheets write, come first. Columns with years come next, before
    # those with dates in words, such as "MAR 15".
    "date": (
        *("date", "publication_date", "Creation Date", "Publication Year", "publication_year", "Year", "PY"),
        *("Published Year", "PubYear", "Pub Year"),
        *("Date", "Publication Date", "Date Published", "Published", "issued", "Issue Date", "Cover Date", "DA", "Y1"),
        *("Publication Date (print)", "Publication Date (online)", "Pub Date Free Form"),
    ),
    "issue": ("issue", "Issue"),  # "Issue Date" is not included, because it is the publication date in IEEE exports
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
EXTRA = ("url", "type")  # optional fields: if the guessed column can't be used, it is ignored without an error
NEEDED = ("title",)  # the only required field; if there is no id or DOI, an id is derived from other fields
KEYWORDS = frozenset(
    ["keywords", "keyword", "authorkeywords", "indexkeywords", "descriptors", "subjectterms", "kw", "de"]
)
MOST_COLUMNS = 10_000
MOST_SHOWN = 40  # maximum number of columns, and of characters per column name, to show in a message


class NoColumnError(ValueError):
    """A required column is missing, or a column can't be used. The importer adds the file name to the message.

    `field` is the field for which the user should choose a column. It is empty if choosing a column wouldn't help.
    """

    def __init__(self, message: str, field: str = "") -> None:
        super().__init__(message)
        self.field = field


def guess(columns: Sequence[str], chosen_columns: Mapping[str, str]) -> dict[str, str]:
    """Return the column for each field, either as chosen by the user or guessed from the column names.

    Exact matches take precedence over names that differ in case, spaces or punctuation. Chosen columns are assigned
    first, and no column is assigned to two fields.

    Parameters
    ----------
    columns : sequence of str
        Names of the table's columns.
    chosen_columns : mapping from str to str
        Mapping from fields to columns, as chosen by the user. An empty column name excludes the field.

    Returns
    -------
    dict
        Mapping from fields to columns, in the order of `FIELDS`. Fields without a column are omitted.

    Raises
    ------
    NoColumnError
        If a chosen field doesn't exist, a chosen column is not in the table, an assigned column name occurs twice, or a
        required field has no column.

    Examples
    --------
    >>> guess(["Key", "Author", "Title", "Issue", "Volume", "Date"], {})
    {'paper_id': 'Key', 'title': 'Title', 'authors': 'Author', 'date': 'Date'}
    >>> guess(["DOI", "Titel"], {"title": "Titel"})
    {'title': 'Titel', 'doi': 'DOI'}
    """
    if len(columns) > MOST_COLUMNS:
        raise NoColumnError(f"the table has {len(columns):,} columns; at most {MOST_COLUMNS:,} are allowed")
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
        raise NoColumnError("the table is empty. Its first row must contain the column names")
    if missing:
        raise NoColumnError(f"no column for {' and '.join(missing)}. {_join_names(columns)}", missing[0])
    if twice := [column for column in found.values() if columns.count(column) > 1]:
        raise NoColumnError(f"two columns have the same name, {', '.join(twice)}. {_join_names(columns)}")
    return {field: found[field] for field in FIELDS if field in found}


def has_title(names: Sequence[str]) -> bool:
    """Return True if at least one of the column names is used for titles by Presort or another program.

    Examples
    --------
    >>> has_title(["DOI", "Article title"]), has_title(["Search query", "wages"])
    (True, False)
    """
    return _find(FIELDS["title"], names) is not None


def other_dates(columns: Sequence[str], fields: Mapping[str, str], *, but: Collection[str]) -> list[str]:
    """Return the other columns whose names are used for publication dates, except those in `but`.

    The dates in these columns may be more precise than those in the column that is assigned to ``date``.

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
    """Return True if a column's name shows that it contains keywords."""
    return _plain(column) in KEYWORDS


def _check(columns: Sequence[str], chosen_columns: Mapping[str, str]) -> None:
    if unknown := [field for field in chosen_columns if field not in FIELDS]:
        raise NoColumnError(f"unknown field {', '.join(unknown)}. The fields are {', '.join(FIELDS)}")
    if absent := [column for column in chosen_columns.values() if column and column not in columns]:
        raise NoColumnError(f"no column named {' or '.join(absent)}. {_join_names(columns)}")
    taken = [column for column in chosen_columns.values() if column]
    if twice := [column for column in dict.fromkeys(taken) if taken.count(column) > 1]:
        raise NoColumnError(f"column {twice[0]} is chosen for two fields. Choose a different column for each field")


def _find(names: Iterable[str], columns: Sequence[str]) -> str | None:
    as_written = next((name for name in names if name in columns), None)
    # In reverse order, so that the first of several columns with the same plain name takes precedence.
    plain = {_plain(column): column for column in reversed(columns)}
    return as_written or next((plain[_plain(name)] for name in names if _plain(name) in plain), None)


def _plain(name: str) -> str:
    return "".join(filter(str.isalnum, name.casefold()))


def _is_number(field: str, column: str, columns: Sequence[str]) -> bool:
    """Return True if a column contains journal issue numbers rather than issue dates.

    A column named "Issue" contains journal issue numbers if the table also has a volume column.
    """
    return field == "issue" and _plain(column) == "issue" and "volume" in map(_plain, columns)


def _join_names(columns: Sequence[str]) -> str:
    shown = ", ".join(column[:MOST_SHOWN] for column in columns[:MOST_SHOWN])
    more = f" and {len(columns) - MOST_SHOWN} more" if len(columns) > MOST_SHOWN else ""
    return f"The columns are {shown}{more}"
