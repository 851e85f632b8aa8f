"""Sentence vectors computed with the service's model, and the ranker that uses them."""

import sys
from dataclasses import replace

import numpy as np
import onnx
import pytest
from onnx import numpy_helper

from presort.data import catalogue
from presort.data.errors import RefusedError
from presort.data.learning import rankings
from presort.data.learning.history import read_history
from presort.data.learning.vectors import count_vectors, forget_vectors, sentence_model
from presort.data.records import ListedPaper, Paper
from presort.desk.importing.importer import import_listings
from presort.desk.service import vectors, workflow
from presort.desk.service.sentence_model import Encoder
from presort.desk.why.explanation import make_explainer
from presort.ranker.versions import RECIPES
from tests.desk.command_line import invoke
from tests.desk.sentence_models import N_NUMBERS, make_model, words

pytestmark = pytest.mark.whole

RECIPE = RECIPES["presort-2-vectors"]


@pytest.fixture(autouse=True)
def reopened_store():
    """Discard the cached model, as in a new process."""
    vectors._encoder.cache_clear()


@pytest.fixture
def folder(tmp_path):
    return make_model(tmp_path / "small")


@pytest.fixture
def made(store, folder):
    list(vectors.make_vectors(store, folder))
    return store


def presort(store, *given):
    return invoke(["--workspace", str(store.folder), *map(str, given)])


def paper(title, abstract=""):
    return Paper(title, title, abstract)


def by_hand(folder, text):
    """Look up the words in the model's table."""
    rows = numpy_helper.to_array(onnx.load(folder / "model.onnx").graph.initializer[0])
    mean = np.mean([rows[2 + words().index(word)] for word in text.split()], axis=0)
    return mean / np.linalg.norm(mean)


def test_a_vector_is_the_mean_of_its_words_regardless_of_the_batch(folder):
    one, two, *_ = words()
    long = paper(" ".join(words()[:50]))
    encoder = Encoder(folder)
    found = encoder.encode([long, paper(f"{one} {two}"), paper(one)])
    assert found.shape == (3, N_NUMBERS)
    assert np.linalg.norm(found.astype(np.float64), axis=1) == pytest.approx(1, abs=1e-3)
    assert found[1] == pytest.approx(by_hand(folder, f"{one} {two}"), abs=2e-3)
    assert found[2].tolist() == encoder.encode([paper(one)])[0].tolist()
    assert encoder.encode([]).shape == (0, N_NUMBERS)


def test_texts_are_cut_at_the_limit(folder):
    first, others = words()[:8], words()[8:20]
    short = Encoder(folder, 8)
    found = short.encode([paper(" ".join(first)), paper(" ".join([*first, *others]))])
    assert found[0].tolist() == found[1].tolist()
    long = Encoder(folder, 128).encode([paper(" ".join([*first, *others]))])
    assert found[0].tolist() != long[0].tolist()


def test_a_model_may_have_a_pooled_output_and_token_types(tmp_path):
    folder = make_model(tmp_path / "whole", inputs=("input_ids", "attention_mask", "token_type_ids"), is_whole=True)
    found = Encoder(folder).encode([paper(" ".join(words()[:3]))])
    assert np.linalg.norm(found[0].astype(np.float64)) == pytest.approx(1, abs=1e-3)


def test_invalid_vectors_are_not_stored(store, folder):
    model = onnx.load(folder / "model.onnx")
    rows = numpy_helper.to_array(model.graph.initializer[0]).copy()
    rows[2 + words().index("wages")] = np.nan
    model.graph.initializer[0].CopyFrom(numpy_helper.from_array(rows, "rows"))
    onnx.save(model, folder / "model.onnx")
    with pytest.raises(RefusedError, match="returned NaN or infinity for paper 'wages'"):
        Encoder(folder).encode([paper(words()[0]), paper("wages")])


def test_the_pooled_output_is_used_if_there_is_one(folder):
    model = onnx.load(folder / "model.onnx")
    model.graph.node.append(
        onnx.helper.make_node("ReduceMax", ["of_words", "axis"], ["sentence_embedding"], keepdims=0)
    )
    whole = onnx.helper.make_tensor_value_info("sentence_embedding", onnx.TensorProto.FLOAT, ["texts", N_NUMBERS])
    model.graph.output.append(whole)
    onnx.save(model, folder / "model.onnx")
    one, two, *_ = words()
    rows = numpy_helper.to_array(model.graph.initializer[0])
    largest = np.maximum(rows[2 + words().index(one)], rows[2 + words().index(two)])
    found = Encoder(folder).encode([paper(f"{one} {two}")])[0]
    assert found == pytest.approx(largest / np.linalg.norm(largest), abs=2e-3)


def test_a_model_is_identified_by_its_files(tmp_path, folder):
    same, other = make_model(tmp_path / "moved"), make_model(tmp_path / "other", seed=1)
    own, moved, another = (Encoder(one).model for one in (folder, same, other))
    assert own.made_by == moved.made_by != another.made_by
    assert (own.name, moved.name) == ("small", "moved")
    assert Encoder(folder, 64).model.made_by != own.made_by


@pytest.mark.parametrize(
    ("break_it", "message"),
    [
        (lambda folder: (folder / "model.onnx").unlink(), "has no model.onnx"),
        (lambda folder: (folder / "tokenizer.json").unlink(), "has no tokenizer.json"),
        (lambda folder: (folder / "model.onnx").write_bytes(b"no model"), "model.onnx: "),
        (lambda folder: (folder / "tokenizer.json").write_text("{}"), "tokenizer.json: "),
        (lambda folder: make_model(folder, inputs=("input_ids", "pixels")), "not a sentence model. Inputs: "),
    ],
    ids=["no model", "no tokenizer", "broken model", "broken tokenizer", "another kind"],
)
def test_an_invalid_sentence_model_is_one_line(store, folder, break_it, message):
    break_it(folder)
    result = presort(store, "vectors", "--model", folder)
    assert result.exit_code == 1
    assert message in result.stderr
    assert result.stderr.count("\n") == 1
    assert sentence_model(store) is None


def test_without_the_libraries_it_says_how_to_install_them(store, folder, monkeypatch):
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    result = presort(store, "vectors", "--model", folder)
    assert result.exit_code == 1
    assert "pip install 'presort[vectors]'" in result.stderr


def test_the_command_computes_vectors_once(store, folder):
    n_papers = count_vectors(store)[1]
    assert (
        f"{n_papers} new vectors. {n_papers} of {n_papers} papers"
        in presort(store, "vectors", "--model", folder).stdout
    )
    assert "0 new vectors" in presort(store, "vectors").stdout
    assert f'"made": {n_papers}' in presort(store, "vectors", "--json").stdout


def test_another_model_is_refused_until_the_vectors_are_deleted(made, tmp_path):
    other = make_model(tmp_path / "other", seed=1)
    vectors._encoder.cache_clear()
    result = presort(made, "vectors", "--model", other)
    assert result.exit_code == 1
    assert "are from small" in result.stderr
    assert "not from other" in result.stderr
    assert presort(made, "vectors", "--forget", "--model", other).exit_code == 2
    assert "Deletes " in presort(made, "vectors", "--forget").stdout
    assert presort(made, "vectors", "--model", other).exit_code == 0
    assert sentence_model(made).name == "other"


def test_vectors_that_a_ranker_in_use_needs_are_not_deleted(made):
    assert presort(made, "rankers", "use", "presort-2-vectors", "--yes").exit_code == 0
    result = presort(made, "vectors", "--forget")
    assert result.exit_code == 1
    assert "A ranker in use needs the vectors" in result.stderr
    assert count_vectors(made)[0]


@pytest.mark.parametrize(
    "given",
    [
        ["rank", "--ranker", "presort-2-vectors"],
        ["rankers", "use", "presort-2-vectors", "--yes"],
        ["rankers", "shadow", "presort-2-vectors", "--yes"],
        ["experiment", "--ranker", "presort-2-vectors", "--runs", "1", "--held-out", "5"],
        ["vectors"],
        ["vectors", "--forget"],
    ],
    ids=lambda given: " ".join(given[:2]),
)
def test_without_vectors_an_error_says_how_to_compute_them(store, given):
    result = presort(store, *given)
    assert result.exit_code == 1, result.stdout
    assert "vectors" in result.stderr
    assert result.stderr.count("\n") == 1


def test_a_ranker_that_reads_vectors_is_offered_if_any_are_stored(store, folder):
    assert "presort-2-vectors" not in vectors.available_rankers(store)
    assert "presort-2-vectors" not in presort(store, "rankers").stdout
    list(vectors.make_vectors(store, folder))
    assert list(vectors.available_rankers(store)) == list(RECIPES)
    assert "presort-2-vectors" in presort(store, "rankers").stdout


def test_an_issue_is_ranked_and_explained_by_vectors(made, newest):
    list(workflow.rank(made, [RECIPE, RECIPES["presort-2"]], reports=["lab", "mac"]))
    found = rankings.newest_rankings(made, "lab", newest)
    ranking = found["presort-2-vectors"].ranking
    assert ranking.scores.tolist() != found["presort-2"].ranking.scores.tolist()
    known = make_explainer(made, RECIPE, newest)
    assert known.is_of(ranking)
    assert any(one.field == "meaning" for one in known.explain("lab", 1).reasons)


def test_new_papers_get_vectors_at_import(made, newest):
    listed = [ListedPaper(Paper("new", words()[0]), newest)]
    assert import_listings(made, listed, "new.csv", person="import").unfinished == ""
    n_made, n_papers = count_vectors(made)
    assert n_made == n_papers
    assert read_history(made, newest, has_vectors=True).vectors.numbers[-1].any()


def test_a_missing_model_stops_neither_imports_nor_other_rankers(made, newest, folder):
    (folder / "model.onnx").unlink()
    vectors._encoder.cache_clear()
    listed = [ListedPaper(Paper("new", words()[0]), newest)]
    assert "has no model.onnx" in import_listings(made, listed, "new.csv", person="import").unfinished
    assert "new" in [one.paper_id for one in catalogue.papers(made, newest)]
    assert list(workflow.rank(made, [RECIPES["presort-2"]], reports=["lab"]))
    with pytest.raises(RefusedError, match=r"has no model.onnx"):
        list(workflow.rank(made, [RECIPE], reports=["lab"]))


def test_a_model_that_was_changed_is_refused(made, newest, folder):
    make_model(folder, seed=9)
    vectors._encoder.cache_clear()
    import_listings(made, [ListedPaper(Paper("new", words()[0]), newest)], "new.csv", person="import")
    with pytest.raises(RefusedError, match="not from small"):
        list(workflow.rank(made, [RECIPE], reports=["lab"]))


def test_the_model_is_not_opened_if_no_vector_is_missing(made, folder):
    (folder / "model.onnx").unlink()
    vectors._encoder.cache_clear()
    assert list(workflow.rank(made, [RECIPE], reports=["lab"]))


def test_a_replay_reads_vectors(made, newest):
    days = [issue.date for issue in catalogue.issues(made)]
    work = workflow.replay(made, [RECIPE], first=days[-2], last=days[-2], reports=["lab"])
    assert [step.ranker for step in work] == ["presort-2-vectors"]
    forget_vectors(made)
    again = replace(RECIPE, name="presort-2-vectors")
    with pytest.raises(RefusedError, match="presort vectors --model"):
        list(workflow.replay(made, [again], first=days[-3], last=days[-3], reports=["lab"]))
