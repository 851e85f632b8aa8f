"""Signatures of public functions in `help()`: known type names, on one or two lines."""

import inspect
import re

import pytest

from presort import metrics

PUBLIC = {name: getattr(metrics, name) for name in metrics.__all__ if callable(getattr(metrics, name))}
METHODS = {
    f"{name}.{key}": getattr(kind, key)
    for name, kind in PUBLIC.items()
    if inspect.isclass(kind)
    for key in vars(kind)
    if not key.startswith("_") and callable(getattr(kind, key))
}
INNER = re.compile(r"numpy\.|_array_like|_nested_sequence|dtype|Union\[")  # NumPy's expansion of an alias


@pytest.mark.parametrize("name", sorted(PUBLIC | METHODS))
def test_a_signature_is_readable(name):
    parameters = inspect.signature((PUBLIC | METHODS)[name]).parameters.values()
    for parameter in parameters:
        shown = str(parameter)
        assert not INNER.search(shown), shown
        assert len(shown) <= 100, shown


CASES = {
    "systems": ({"alone": {}}, {}),
    "outcome": ([1, 0], {"k": 1}),
    "outcomes": (3, {"values": [1]}),
    "graph": ([[1, 2], [2, 1]], {"k": 1}),
    "measure": ("AP", {"task": "ranking"}),
    "scores": (None, {"measure": "AP", "relevant": [1]}),
    "scores_by_collection": (None, {}),
    "run": (3, {"qrels": {"1": {"a": 1}}}),
    "qrels": (3, {}),
    "P": ("x", {"R": [[0.5], [0.2]]}),
    "a": (None, {"b": [[0.5]]}),
    "r": (2.5, {"n": 3}),
    "output": (3, {"gold": [[["a"]]]}),
}


@pytest.mark.parametrize("name", sorted(name for name, public in PUBLIC.items() if inspect.isfunction(public)))
def test_an_error_names_the_first_argument_and_the_rule(name):
    parameters = list(inspect.signature(PUBLIC[name]).parameters.values())
    if not parameters or parameters[0].name not in CASES:
        assert name in ("f_measure", "installed_measures")
        return
    first, *others = parameters
    wrong, right = CASES[first.name]
    needed = {other.name: right[other.name] for other in others if other.default is inspect.Parameter.empty}
    with pytest.raises(ValueError, match=rf"^{first.name}\b.* must "):
        PUBLIC[name](wrong, **needed)


@pytest.mark.parametrize("name", sorted(PUBLIC))
def test_docstrings_name_parameters_and_results(name):
    text = inspect.getdoc(PUBLIC[name])
    assert text
    if inspect.isfunction(PUBLIC[name]):
        assert "Returns\n-------" in text
        assert bool(inspect.signature(PUBLIC[name]).parameters) == ("Parameters\n----------" in text)
        assert "Examples\n--------" in text
