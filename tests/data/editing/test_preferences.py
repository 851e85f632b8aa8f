import json

import pytest

from presort.data.editing.preferences import preference, set_preference
from presort.data.errors import RefusedError
from tests.data.workspaces import contents


def test_reading_a_missing_preference_creates_no_person(store):
    assert preference(store, "Ann", "keys") is None
    assert contents(store)["person"] == []


def test_the_last_preference_by_person_and_name_is_current(store):
    set_preference(store, "Ann", "keys", '{"relevant": "x"}')
    set_preference(store, "Ann", "level", "95")
    set_preference(store, "Bo", "keys", '{"relevant": "r"}')
    set_preference(store, "Ann", "keys", '{"relevant": "y"}')
    assert json.loads(preference(store, "Ann", "keys")) == {"relevant": "y"}
    assert preference(store, "Ann", "level") == "95"
    assert preference(store, "Bo", "keys") == '{"relevant": "r"}'
    assert preference(store, "Bo", "level") is None


@pytest.mark.parametrize(
    ("value", "error", "message"),
    [
        pytest.param("{", ValueError, "Expecting property name", id="not-json"),
        pytest.param(
            json.dumps("x" * 19_999), RefusedError, "keys has 20,001 characters; the limit is 20,000", id="long"
        ),
    ],
)
def test_a_wrong_value_is_refused_and_the_old_one_stays(store, value, error, message):
    set_preference(store, "Ann", "keys", "{}")
    before = contents(store)
    with pytest.raises(error, match=message):
        set_preference(store, "Ann", "keys", value)
    assert contents(store) == before
