import pytest

from presort.data.importers.columns import FIELDS, NoColumnError, guess

ZOTERO = (
    "Key,Item Type,Publication Year,Author,Title,Publication Title,ISBN,ISSN,DOI,Url,Abstract Note,Date,Date Added,"
    "Date Modified,Access Date,Pages,Num Pages,Issue,Volume,Number Of Volumes,Journal Abbreviation,Short Title,Series,"
    "Series Number,Series Text,Series Title,Publisher,Place,Language,Rights,Type,Archive,Manual Tags,Automatic Tags"
)
SCOPUS = (
    "Authors,Author full names,Author(s) ID,Title,Year,Source title,Volume,Issue,Art. No.,Page start,Page end,"
    "Page count,Cited by,DOI,Link,Affiliations,Authors with affiliations,Abstract,Author Keywords,Index Keywords,"
    "References,Editors,Publisher,ISSN,ISBN,Document Type,Publication Stage,Open Access,Source,EID"
)
WEB_OF_SCIENCE = (
    "Publication Type,Authors,Book Authors,Author Full Names,Group Authors,Article Title,Source Title,Language,"
    "Document Type,Author Keywords,Keywords Plus,Abstract,Addresses,Cited References,Publication Date,"
    "Publication Year,Volume,Issue,DOI,DOI Link,WoS Categories,UT (Unique WOS ID),Web of Science Record"
)
OPENALEX = (
    "id,doi,title,display_name,publication_year,publication_date,language,type,authorships.author.display_name,"
    "authorships.institutions.display_name,primary_location.source.display_name,biblio.volume,biblio.issue,abstract"
)
EBSCO = (
    "Article Title,Author,Journal Title,ISSN,ISBN,Publication Date,Volume,Issue,First Page,Page Count,"
    "Accession Number,DOI,Publisher,Doctype,Subjects,Keywords,Abstract,PLink"
)
COVIDENCE = (
    "Title,Authors,Abstract,Published Year,Published Month,Journal,Volume,Issue,Pages,Accession Number,DOI,Ref,"
    "Covidence #,Study,Notes,Tags"
)
OURS = (
    "report,issue,place,score,relevant,published,paper_id,title,authors,abstract,codes,series,date,doi,url,type,tags,"
    "note"
)


@pytest.mark.parametrize(
    ("columns", "expected"),
    [
        pytest.param(
            ZOTERO,
            "paper_id Key, title Title, abstract Abstract Note, authors Author, codes Manual Tags, "
            "series Publication Title, date Publication Year, doi DOI, url Url, type Item Type",
            id="zotero",
        ),
        pytest.param(
            SCOPUS,
            "paper_id EID, title Title, abstract Abstract, authors Author full names, codes Author Keywords, "
            "series Source title, date Year, doi DOI, url Link, type Document Type",
            id="scopus",
        ),
        pytest.param(
            WEB_OF_SCIENCE,
            "paper_id UT (Unique WOS ID), title Article Title, abstract Abstract, authors Author Full Names, "
            "codes Author Keywords, series Source Title, date Publication Year, doi DOI, type Document Type",
            id="web-of-science",
        ),
        pytest.param(
            "PT,AU,AF,TI,SO,DE,AB,PY,VL,IS,DI,UT",
            "paper_id UT, title TI, abstract AB, authors AF, codes DE, series SO, date PY, doi DI",
            id="web-of-science-two-letter-tags",
        ),
        pytest.param(
            OPENALEX,
            "paper_id id, title title, abstract abstract, authors authorships.author.display_name, "
            "series primary_location.source.display_name, date publication_date, doi doi, type type",
            id="openalex",
        ),
        pytest.param(
            EBSCO,
            "paper_id Accession Number, title Article Title, abstract Abstract, authors Author, codes Keywords, "
            "series Journal Title, date Publication Date, doi DOI",
            id="econlit-by-ebsco",
        ),
        pytest.param(
            "DOI,title,author,container-title,issued,abstract,volume,issue",
            "title title, abstract abstract, authors author, series container-title, date issued, doi DOI",
            id="crossref",
        ),
        pytest.param(
            COVIDENCE,
            "paper_id Accession Number, title Title, abstract Abstract, authors Authors, series Journal, "
            "date Published Year, doi DOI",
            id="covidence",
        ),
        pytest.param(
            OURS,
            "paper_id paper_id, title title, abstract abstract, authors authors, codes codes, series series, "
            "date date, issue issue, doi doi, url url, type type",
            id="our-own-export",
        ),
        pytest.param(
            "HANDLE,Item title,author_s,j.e.l.,Issue date,Selected by",
            "paper_id HANDLE, title Item title, authors author_s, codes j.e.l., date Issue date, reports Selected by",
            id="case-spaces-and-punctuation",
        ),
        pytest.param("Title,ID,Issue", "paper_id ID, title Title, issue Issue", id="issue-without-a-volume"),
        pytest.param("Title,title,id", "paper_id id, title title", id="our-own-name-first"),
    ],
)
def test_columns_of_exports(columns, expected):
    found = guess(columns.split(","), {})
    assert ", ".join(f"{field} {column}" for field, column in found.items()) == expected


def test_no_column_serves_two_fields():
    for names in FIELDS.values():
        for name in names:
            found = guess([name, "x1", "x2"], {"paper_id": "x1", "title": "x2"})
            assert list(found.values()).count(name) <= 1


def test_chosen_columns_take_precedence_over_guessed_ones():
    columns = ["id", "title", "Titel", "abstract"]
    chosen = {"title": "Titel", "series": "abstract"}
    assert guess(columns, chosen) == {"paper_id": "id", "title": "Titel", "series": "abstract"}


def test_a_field_can_be_excluded():
    assert guess(["id", "title", "date"], {"date": ""}) == {"paper_id": "id", "title": "title"}


@pytest.mark.parametrize(
    ("columns", "chosen", "message"),
    [
        pytest.param(["a", "b"], {}, "no column for title. The columns are a, b", id="nothing"),
        pytest.param(["id", "b"], {}, "no column for title. The columns are id, b", id="no-title"),
        pytest.param([], {}, "the table is empty. Its first row must contain the column names", id="empty"),
        pytest.param(
            ["id", "title"], {"title": ""}, "no column for title. The columns are id, title", id="title-left-out"
        ),
        pytest.param(
            ["id", "title"], {"date": "Jahr"}, "no column named Jahr. The columns are id, title", id="not-there"
        ),
        pytest.param(["id", "title"], {"titel": "title"}, "unknown field titel. The fields are", id="no-field"),
        pytest.param(["id", "a"], {"title": "a", "series": "a"}, "column a is chosen for two fields", id="for-two"),
        pytest.param(["id", "title", "title"], {}, "two columns have the same name, title. The columns", id="twice"),
        pytest.param([f"x{n}" for n in range(99)], {}, "x38, x39 and 59 more", id="many"),
        pytest.param(["x"] * 10_001, {}, "the table has 10,001 columns; at most 10,000 are allowed", id="too-many"),
    ],
)
def test_unmappable_columns_are_a_one_line_error(columns, chosen, message):
    with pytest.raises(NoColumnError) as caught:
        guess(columns, chosen)
    assert message in str(caught.value)


def test_an_unused_repeated_column_is_allowed():
    assert guess(["id", "title", "", "", "note", "note"], {}) == {"paper_id": "id", "title": "title"}
