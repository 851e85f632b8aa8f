"""Files dropped on the *Import* page: archives, invalid files, and hostile names and texts."""

import io
import tarfile
import zipfile

import pytest

from presort.data import catalogue
from presort.data.importers.formats import KNOWN
from presort.desk.importing.page import PREVIEW
from presort.desk.importing.uploads import upload_of
from tests.desk.importing.dropping import HOSTILE, WEEK, drop, figures, keys, press


def zipped(*names):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for name in names:
            archive.writestr(name, WEEK)
    return file.getvalue()


def tarred(name):
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode="w:gz") as archive:
        info = tarfile.TarInfo(name)
        info.size = len(WEEK)
        archive.addfile(info, io.BytesIO(WEEK.encode()))
    return file.getvalue()


def test_an_archive_is_one_import(open_import, empty_store):
    page = open_import(empty_store)
    drop(page, ("two.zip", zipped("a/one.csv", "b/one.csv")), ("t.tar.gz", tarred("t.csv"))).run()
    assert figures(page)["New"] == "4"
    assert page.dataframe[0].value["where"].tolist() == ["a/one.csv, row 2", "a/one.csv, row 3"]


@pytest.mark.parametrize(
    ("name", "content", "problem"),
    [
        pytest.param("week.csv", b"\xff\xfe\x00\x00", "week.csv", id="no-text"),
        pytest.param("week.xlsx", b"PK\x03\x04", "week.xlsx", id="no-workbook"),
        pytest.param("week.parquet", b"", "week.parquet", id="empty"),
        pytest.param("a.zip", zipped("../../out.csv"), "a path that leads out of the archive", id="climbs-out"),
        pytest.param("a.xml", b"<!DOCTYPE a [<!ENTITY b 'c'>]><a>&b;</a>", "a.xml", id="entity"),
        pytest.param(f"{HOSTILE}.rdf", b"Title: x", "javascript:alert", id="hostile-name"),
        pytest.param("x" * 300 + ".ris", b"TY  - \n", "xxx.ris", id="long-name"),
    ],
)
def test_a_bad_file_is_refused_with_a_message(open_import, empty_store, tmp_path, name, content, problem):
    page = drop(open_import(empty_store), (name, content)).run()
    assert problem in page.error[0].value.replace("\\", "").replace("\N{WORD JOINER}", "")
    assert "import" not in keys(page)
    assert catalogue.issues(empty_store) == []
    assert list((tmp_path / "for-a-while").iterdir()) == []


def test_a_file_of_another_format_is_skipped_with_the_reason(open_import, empty_store):
    page = drop(open_import(empty_store), ("paper.pdf", b"%PDF"), ("WEEK.CSV", WEEK)).run()
    assert page.error[0].value.replace("\\", "").startswith("paper.pdf: looks like a PDF. ")
    assert page.button(key="import").label == "Import 2 papers"
    page = drop(open_import(empty_store), ("paper.pdf", b"%PDF")).run()
    assert "import" not in keys(page)


def test_texts_of_a_file_are_not_markdown(open_import, empty_store):
    head = HOSTILE.replace(",", "")
    page = drop(open_import(empty_store), (f"{head}.csv", f'paper_id,title,"{head}"\nx1,"{HOSTILE}",=1+1\n')).run()
    press(page, "import")
    shown = [*page.markdown, *page.caption, *page.error, *page.warning]
    assert not [one.value for one in shown if "<script" in one.value or ":red[" in one.value or "](java" in one.value]
    assert not [box.label for box in page.expander if ":red[" in box.label or "](java" in box.label]


@pytest.mark.parametrize(
    ("name", "safe"),
    [
        pytest.param("week.csv", "week.csv", id="plain"),
        pytest.param("C:\\papers\\week.csv", "week.csv", id="of-windows"),
        pytest.param("../../.hidden.csv", "hidden.csv", id="parent-folder-and-hidden-file"),
        pytest.param("..", "file", id="no-name"),
        pytest.param("a\u202ecsv\n.csv", "acsv .csv", id="turned-around"),
        pytest.param("é" * 500 + ".tar.gz", "é" * 53 + ".tar.gz", id="long"),
    ],
)
def test_a_file_name_from_another_system_is_made_valid(name, safe):
    assert upload_of("1", name, io.BytesIO()).name == safe


@pytest.mark.parametrize("ending", KNOWN)
def test_every_readable_format_can_be_uploaded(open_import, empty_store, ending):
    page = drop(open_import(empty_store), (f"week{ending.upper()}", "?")).run()
    assert not page.exception
    assert PREVIEW in page.session_state or not page.error  # it is read, or the page offers to choose its columns
