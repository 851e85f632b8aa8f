import json

import pytest

from presort.data.errors import UnreadableFileError
from presort.data.importers.csl_json import read_csl_json
from presort.data.importers.problems import Problems
from presort.data.records import Paper
from tests.data.reference_files import read_text, refusal

ITEM = {
    "id": "http://zotero.org/users/1/items/A",
    "type": "article-journal",
    "title": "Wages and jobs",
    "author": [
        {"family": "Lee", "given": "Ann"},
        {"family": "Berg", "given": "Bo", "non-dropping-particle": "van den"},
        {"literal": "Wage Group"},
    ],
    "abstract": "We look.",
    "container-title": "Journal of Examples",
    "issued": {"date-parts": [["2019", 3, 4]]},
    "DOI": "10.1000/EX.1",
    "keyword": "wages, jobs",
}
PAPER = Paper(
    "10.1000/ex.1",
    "Wages and jobs",
    "We look.",
    ("Lee, Ann", "van den Berg, Bo", "Wage Group"),
    ("wages", "jobs"),
    "Journal of Examples",
    "2019-03-04",
    "10.1000/ex.1",
    type="journal article",
)


@pytest.mark.parametrize(
    "content",
    [
        pytest.param([ITEM], id="list"),
        pytest.param({"items": [ITEM]}, id="called-items"),
        pytest.param({"status": "ok", "message": {"total": 1, "items": [ITEM]}}, id="crossref"),
        pytest.param(ITEM, id="alone"),
        pytest.param([{**ITEM, "title": ["Wages and jobs"], "container-title": ["Journal of Examples"]}], id="lists"),
    ],
)
@pytest.mark.parametrize("indent", [None, 2])
def test_exports_of_reference_managers_are_read(content, indent):
    assert read_text(read_csl_json, json.dumps(content, indent=indent)) == [PAPER]


@pytest.mark.parametrize(
    ("people", "authors"),
    [
        ("Ann Lee", ("Ann Lee",)),
        ("Lee, Ann; Ek, Bo", ("Lee, Ann", "Ek, Bo")),
        ({"family": "Lee", "given": "Ann"}, ("Lee, Ann",)),
        (["Ann Lee", {"name": "Wage Group"}], ("Ann Lee", "Wage Group")),
    ],
)
def test_authors_that_are_not_a_list_of_objects_are_read(people, authors):
    (paper,) = read_text(read_csl_json, json.dumps([{**ITEM, "author": people}]))
    assert paper.authors == authors


@pytest.mark.parametrize(
    ("issued", "date"),
    [
        (2019, "2019"),
        ({"date-parts": [2019, 3]}, "2019-03"),
        ({"date-parts": [[2019, None, 5]]}, "2019"),
        ({"date-parts": [["2019", "", ""]]}, "2019"),
        ({"date-parts": [[2019, 3, 4], [2019, 3, 6]]}, "2019-03-04"),
        ({"date-parts": 2019}, "2019"),
        ({"date-parts": [[None]]}, ""),
        ({"date-parts": []}, ""),
    ],
)
def test_dates_in_unusual_forms(issued, date):
    (paper,) = read_text(read_csl_json, json.dumps([{**ITEM, "issued": issued}]))
    assert paper.date == date


@pytest.mark.parametrize("text", ["[", '{"a": 1}', "prose", '{"items": "x"}', "[" * 100_000])
def test_other_json_is_refused(text):
    assert refusal(read_csl_json, text)


@pytest.mark.parametrize(
    "broken", ['{"title": "Jobs" "id": "b"}', '{"title": "Jobs", "id": }', '{"author": [{"family": "A"}, {"x" 1}]}']
)
def test_reading_resumes_after_a_broken_item(tmp_path, broken):
    path = tmp_path / "week.json"
    others = [json.dumps({**ITEM, "DOI": f"10.1000/{letter}"}) for letter in "ac"]
    path.write_text(f"[\n{others[0]},\n{broken},\n{others[1]}\n]", encoding="utf-8")
    left_out: list[UnreadableFileError] = []
    entries = list(read_csl_json(path, problems=Problems(left_out.append)))
    assert [(entry.row, entry.paper.paper_id) for entry in entries] == [(2, "10.1000/a"), (4, "10.1000/c")]
    assert [error.line for error in left_out] == [3]
