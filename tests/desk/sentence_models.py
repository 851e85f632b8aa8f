"""Small sentence models for tests. A word is a row of numbers, and a text is the mean of its words."""

from functools import cache
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import Whitespace

from presort.data.demo import make_world

UNKNOWN, PAD = "[UNK]", "[PAD]"
N_NUMBERS = 12


@cache
def words():
    """Return the words in the titles of the synthetic service."""
    world = make_world(seed=3, n_issues=8, papers_per_issue=40)
    every = {word for listed in world.listings for word in listed.paper.title.lower().split()}
    return sorted(word for word in every if word.isalpha())


def make_model(folder, *, seed=0, inputs=("input_ids", "attention_mask"), is_whole=False):
    """Write a model and its tokenizer to a folder. Optionally, the model returns a vector for whole texts."""
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    known = {word: number for number, word in enumerate([PAD, UNKNOWN, *words()])}
    tokenizer = Tokenizer(WordLevel(known, unk_token=UNKNOWN))
    tokenizer.pre_tokenizer = Whitespace()
    tokenizer.save(str(folder / "tokenizer.json"))
    rows = np.random.default_rng(seed).normal(size=(len(known), N_NUMBERS)).astype(np.float32)
    nodes = [helper.make_node("Gather", ["rows", "input_ids"], ["of_words"])]
    axes = ["texts", "words", N_NUMBERS]
    if is_whole:
        nodes.append(helper.make_node("ReduceMax", ["of_words", "axis"], ["of_texts"], keepdims=0))
        axes = ["texts", N_NUMBERS]
    graph = helper.make_graph(
        nodes,
        "small",
        [helper.make_tensor_value_info(name, TensorProto.INT64, ["texts", "words"]) for name in inputs],
        [helper.make_tensor_value_info(nodes[-1].output[0], TensorProto.FLOAT, axes)],
        [numpy_helper.from_array(rows, "rows"), numpy_helper.from_array(np.array([1]), "axis")],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)
    onnx.save(model, folder / "model.onnx")
    return folder
