"""Measures as `AppTest` sees it."""

from metrics import MEASURES


def measures_page():
    from desk.pages import measures

    measures.show()


def test_measures_lists_every_measure(open_page, empty_store):
    page = open_page(measures_page, empty_store)
    assert page.table[0].value.index.tolist() == [measure.label for measure in MEASURES.values()]
    assert [formula.value.strip("$\n") for formula in page.latex] == [measure.formula for measure in MEASURES.values()]
    for measure, example in zip(MEASURES.values(), page.code, strict=True):
        assert example.value.endswith(f"{measure.worked} = {measure.example_value():.4g}")
