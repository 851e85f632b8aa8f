"""The guides agree with the code."""

import doctest
import re
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

from docs import formulas, make_measures
from presort import metrics

ROOT = Path(__file__).parents[1]
GUIDE = ROOT / "docs" / "measures.md"
TESTS = re.compile(r"^def (test_\w+)", re.MULTILINE)
NAMED = re.compile(r"`((?:[a-z_/]+/)?test_[\w.]+|tests/[a-z_/]+)`")
ALL = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), ROOT / "docs" / "tutorial.ipynb"])
TUTORIAL = ROOT / "docs" / "tutorial.ipynb"
GUIDES = ["README.md", "docs/measures.md", "docs/your-own-measure.md", "docs/your-own-ranker.md"]


LINK = re.compile(r"\]\(([^)\s]+)\)|(?:src|srcset)=\"([^\"]+)\"")
HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)
FENCE = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("name", GUIDES)
def test_examples_print_the_shown_results(name):
    result = doctest.testfile(str(ROOT / name), module_relative=False, optionflags=doctest.NORMALIZE_WHITESPACE)
    assert result.attempted
    assert not result.failed


def test_the_tutorial_prints_what_it_shows(tmp_path, monkeypatch):
    """If this fails, run: jupyter execute --inplace docs/tutorial.ipynb."""
    for name in ("JUPYTER_RUNTIME_DIR", "IPYTHONDIR"):
        monkeypatch.setenv(name, str(tmp_path))
    shown = nbformat.read(TUTORIAL, as_version=4)
    run = NotebookClient(nbformat.read(TUTORIAL, as_version=4), kernel_name="python3").execute()
    assert [texts_of(cell) for cell in run.cells] == [texts_of(cell) for cell in shown.cells]
    assert sum(map(len, map(texts_of, shown.cells))) >= 9


def texts_of(cell):
    """Return the printed text of a notebook cell, and the text of each of its values."""
    outputs = cell.get("outputs", [])
    assert all(output.output_type in ("stream", "execute_result") for output in outputs), outputs
    return [output.text if output.output_type == "stream" else output.data["text/plain"] for output in outputs]


def test_the_guide_to_the_measures_is_up_to_date():
    """If this fails, run: python -m docs.make_measures."""
    written = (ROOT / "docs" / "measures.md").read_text(encoding="utf-8")
    assert [part["name"] for part in make_measures.MADE.finditer(written)] == ["overview", "measures", "names"]
    assert make_measures.with_made_parts(written) == written
    assert (ROOT / "docs" / "natural-order.svg").read_text(encoding="utf-8") == make_measures.drawing()


def test_the_public_names():
    """MEASURES section 5."""
    asked = """
        Outcome natural_order_key compare_natural violations natural_order_table last_relevant_position search_length
        precision_at_last expected_search_length aselt lofop nosel ponori copnori copnori_rank copnori_loss ponori_loss
        nosel_copnori swets brookes score MEASURES reliability_sensitivity ranking_reliability_sensitivity f_measure
        unanimous_improvement_ratio parametric_uir uir_table f_curve stability systems_topics SystemsTopics pick_topics
        strictness robustness check_constraints
    """
    asked += "Measure Batch installed_measures tukey_hsd"
    assert set(asked.split()) <= set(metrics.__all__)
    assert all(hasattr(metrics, name) for name in metrics.__all__)


def test_the_guide_lists_all_public_names():
    """Exactly the exported names are listed."""
    parts = {part["name"]: part[0] for part in make_measures.MADE.finditer(GUIDE.read_text(encoding="utf-8"))}
    listed = re.findall(r"^\| `(\w+)` \| (.*) \|$", parts["names"], re.MULTILINE)
    assert sorted(name for name, _ in listed) == sorted(metrics.__all__)
    assert all(meaning for _, meaning in listed)


def test_tests_named_in_the_guides_exist():
    """Folders and files by path from the root or `tests/`, or by name; tests by name."""
    files = [path.relative_to(ROOT).as_posix() for path in (ROOT / "tests").rglob("*.py")]
    tests = {name for path in files for name in TESTS.findall((ROOT / path).read_text(encoding="utf-8"))}
    named = {name for guide in ALL for name in NAMED.findall(prose_of(guide))}
    assert {name for name in named if name not in tests and not any(name in f"/{path}" for path in files)} == set()


def test_formulas_of_docstrings_become_mathml():
    """From Markdown's output: entities in code, and only one of two backslashes at the end of a line."""
    inline = formulas.on_page_content("<p>At :math:<code>p &lt; r</code>, and <code>p</code>.</p>")
    assert inline.startswith('<p>At <math xmlns="http://www.w3.org/1998/Math/MathML" display="inline">')
    assert "<mo>&#x0003C;</mo>" in inline
    assert inline.endswith("</math>, and <code>p</code>.</p>")
    block = formulas.on_page_content("<p>.. math::\n  a &amp;= b \\\n  c &amp;= d</p>")
    assert 'display="block"' in block
    assert block.count("<mtr>") == 2


@pytest.mark.parametrize("guide", ALL, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_links_have_existing_files_and_headings(guide):
    text = FENCE.sub("", prose_of(guide))
    for target in ("".join(found.groups(default="")) for found in LINK.finditer(text)):
        if "://" in target:
            continue
        path, _, heading = target.partition("#")
        linked = guide.parent / path if path else guide
        assert linked.exists(), target
        if heading:
            headings = HEADING.findall(FENCE.sub("", linked.read_text(encoding="utf-8")))
            assert heading in [re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-") for title in headings], target


def prose_of(guide):
    if guide.suffix != ".ipynb":
        return guide.read_text(encoding="utf-8")
    cells = nbformat.read(guide, as_version=4).cells
    return "\n".join(cell.source for cell in cells if cell.cell_type == "markdown")
