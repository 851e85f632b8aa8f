"""Each person has one key, in any spelling of the name, and no two people share a key."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from presort.data.duplicates.agreement import compare_authors
from presort.data.records import person_key

WORDS = st.lists(st.sampled_from(["Ana", "María", "Łoś", "O'Neill", "Иван", "Li"]), min_size=1, max_size=3).map(
    " ".join
)


@pytest.mark.parametrize(
    ("spellings", "key"),
    [
        pytest.param(["Smith, John", "John Smith", "JOHN SMITH", "  Smith ,John "], "john_smith", id="order-and-case"),
        pytest.param(
            ["García López, Ana María", "Ana Maria Garcia Lopez"],
            "ana_maria_garcia_lopez",
            id="family-name-of-two-words",
        ),
        pytest.param(["Ek, B. C.", "B.C. Ek", "Ek B. C.", "B.-C. Ek"], "b_c_ek", id="initials"),
        pytest.param(["Hines, James, Jr.", "Hines, Jr., James", "James Hines Jr."], "james_hines_jr", id="suffix"),
        pytest.param(["van der Ek, Bo", "Bo van der Ek"], "bo_van_der_ek", id="particles"),
        pytest.param(["Иванов, Иван", "Иван Иванов"], "иван_иванов", id="cyrillic"),
        pytest.param(["OECD"], "oecd", id="no-person"),
        pytest.param(["", " , ", "-"], "", id="nobody"),
    ],
)
def test_spellings_of_one_person(spellings, key):
    assert {person_key(name) for name in spellings} == {key}


@pytest.mark.parametrize(
    ("one", "other"),
    [
        pytest.param("J. Smith", "John Smith", id="initial"),
        pytest.param("John M. Smith", "John Smith", id="second-name"),
        pytest.param("John Smith Jr.", "John Smith", id="suffix"),
        pytest.param("John James", "James John", id="order"),
    ],
)
def test_ambiguous_names_stay_separate(one, other):
    assert person_key(one) != person_key(other)


@given(WORDS, WORDS)
def test_a_comma_says_which_name_is_the_family_name(given_names, family):
    assert person_key(f"{family}, {given_names}") == person_key(f"{given_names} {family}")


def test_a_name_with_a_comma_matches_the_same_author_without():
    assert compare_authors(["García López, Ana María"], ["Ana María García López"]).is_all
    assert compare_authors(["Smith JA"], ["John Smith"]).is_all
