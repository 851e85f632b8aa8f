"""Duplicates that must be found, and papers that must not match."""

import time
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from presort.data.duplicates.agreement import compare_authors
from presort.data.duplicates.candidates import PapersInMemory as Known
from presort.data.duplicates.matching import Match, find_duplicates, match
from presort.data.duplicates.titles import compare_titles
from presort.data.index.paper_index import id_key
from presort.data.records import Paper
from presort.data.text.words import plain_words

TITLE = "Minimum wages and the jobs of young people: Evidence from Spanish towns"
AUTHORS = ("Ann M. Lee", "Bo van der Ek", "Zoë Núñez")
KNOWN = [
    Paper("p1", TITLE, "We count jobs.", AUTHORS),
    Paper("p2", "Trade and trust, Part I", authors=("Cy Oz",)),
    Paper("p3", "Trade and trust, Part II", authors=("Cy Oz",)),
    Paper("p4", "Editorial", authors=("Ann M. Lee",)),
    Paper("arXiv:1701.00317v1", "Stable matchings of $k$-regular graphs", authors=("Di Fu", "Ed Gao")),
    Paper("https://doi.org/10.1257/AER.20", "Money growth at the zero bound in Japan", authors=("Flo Ho",)),
]


def found(paper: Paper, known: list[Paper] = KNOWN) -> str | None:
    (hit,) = match(Known(known), [paper])
    return hit.paper_id if hit else None


@pytest.mark.parametrize(
    ("title", "authors"),
    [
        pytest.param(TITLE, AUTHORS, id="same"),
        pytest.param(TITLE.replace("Minimum", "Minimun"), AUTHORS, id="misspelled"),
        pytest.param(TITLE.replace("jobs", "jbos"), AUTHORS, id="letters-swapped"),
        pytest.param(TITLE.upper(), ("ANN M. LEE", "BO VAN DER EK"), id="capitals-and-an-author-missing"),
        pytest.param(TITLE.replace("Spanish ", ""), AUTHORS, id="word-dropped"),
        pytest.param(TITLE.partition(":")[0], AUTHORS, id="subtitle-cut"),
        pytest.param("Minimum wages and jobs of people", AUTHORS, id="truncated-subtitle-and-dropped-word"),
        pytest.param(TITLE.replace("and", "adn").replace("people", "poeple"), AUTHORS, id="misspelled-twice"),
        pytest.param(TITLE.replace(":", " ---").replace("and the", r"\& the"), AUTHORS, id="other-punctuation"),
        pytest.param(TITLE, ("Lee, A. M.", "van der Ek, B.", r"N{\'u}{\~n}ez, Z."), id="initials-and-latex"),
        pytest.param(TITLE, ("Lee AM", "Ek B", "Nunez Z"), id="initials-last-and-no-accents"),
        pytest.param(TITLE, ("Ann Lee and Bo van der Ek and Zoe Nunez",), id="all-in-one-string"),
        pytest.param(TITLE, (), id="no-authors-but-a-specific-title"),
    ],
)
def test_a_changed_copy_is_found(title, authors):
    assert found(Paper("q", title, authors=authors)) == "p1"


@pytest.mark.parametrize(
    "paper",
    [
        pytest.param(Paper("q", TITLE, authors=("Ann Berg", "Cy Oz")), id="other-authors"),
        pytest.param(Paper("q", TITLE.replace("Spanish", "Italian"), authors=AUTHORS), id="another-word"),
        pytest.param(Paper("q", TITLE.replace("and the", "without"), authors=AUTHORS), id="turned-round"),
        pytest.param(Paper("q", TITLE + ": a reply", authors=AUTHORS), id="a-reply"),
        pytest.param(Paper("q", "Comment on " + TITLE, authors=AUTHORS), id="a-comment"),
        pytest.param(Paper("q", "Trade and trust, Part III", authors=("Cy Oz",)), id="the-next-part"),
        pytest.param(Paper("q", "Trade and trust", authors=("Cy Oz",)), id="no-part-named"),
        pytest.param(Paper("q", "Editorial", authors=("Ann M. Lee",)), id="editorial-of-the-same-editor"),
        pytest.param(Paper("q", "Editorial"), id="editorial-without-names"),
        pytest.param(Paper("q", "Unstable matchings of k-regular graphs", authors=("Di Fu", "Ed Gao")), id="prefix"),
        pytest.param(
            Paper("q", "Stable matchings of $k$-regular graphs II", authors=("Di Fu", "Ed Gao")), id="numbered"
        ),
        pytest.param(Paper("q", TITLE.partition(":")[0], "Trees, birds and rivers.", AUTHORS), id="other-abstract"),
        pytest.param(Paper("q", TITLE.replace("Spanish", "A view of Italian"), authors=AUTHORS), id="other-subtitle"),
        pytest.param(Paper("q", "?!"), id="no-words"),
        pytest.param(Paper("q", ""), id="no-title"),
    ],
)
def test_a_different_paper_does_not_match(paper):
    assert found(paper) is None


@pytest.mark.parametrize(
    "title", ["Introduction", "Comment", "Reply", "Book Reviews", "Special issue 3", "Preface: Part II"]
)
def test_titles_that_many_papers_share_match_nothing(title):
    known = [Paper(f"p{number}", title, authors=("Ann Lee",)) for number in range(3)]
    assert found(Paper("q", title, authors=("Ann Lee",)), known) is None
    assert found(Paper("q", title), known) is None


def test_a_part_is_matched_however_its_number_is_written():
    assert found(Paper("q", "Trade and Trust. Part 2", authors=("Oz, C.",))) == "p3"


@pytest.mark.parametrize(
    "paper_id",
    [
        "arXiv:1701.00317v3",
        "oai:arXiv.org:1701.00317",
        "http://arxiv.org/abs/1701.00317v2",
        "https://arxiv.org/pdf/1701.00317.pdf",
        "https://doi.org/10.48550/arXiv.1701.00317",
    ],
)
def test_versions_and_places_of_a_paper_have_one_id(paper_id):
    assert match(Known(KNOWN), [Paper(paper_id, "Retitled")]) == [Match("arXiv:1701.00317v1", "id", 1.0)]


def test_different_ids_stay_different_after_normalisation():
    assert id_key("arXiv:1701.0031") != id_key("arXiv:1701.00317")
    assert id_key("RePEc:a:b:1v2") != id_key("RePEc:a:b:1")


def test_a_doi_takes_precedence_over_the_title_and_an_id_over_the_doi():
    known = Known(KNOWN, dois={"p2": "10.1/2345", "p1": "https://doi.org/10.5555/one"})
    arxiv = "oai:arXiv.org:1701.00317"
    new = [Paper("q", "Money growth in Japan", authors=("F. Ho",)), Paper(arxiv, "Renamed"), Paper("r", TITLE)]
    hits = match(known, new, dois={"q": "doi:10.1257/aer.20", arxiv: "10.5555/ONE", "r": "10.5555/ONE"})
    assert hits == [
        Match("https://doi.org/10.1257/AER.20", "doi", 1.0),
        Match("arXiv:1701.00317v1", "id", 1.0),
        Match("p1", "doi", 1.0),
    ]


BOOK = Paper("https://doi.org/10.5555/book", "Minimum wages in small towns", "Wages rise.", ("Ann Lee",))


@pytest.mark.parametrize(
    ("paper", "same", "possible", "shared"),
    [
        pytest.param(replace(BOOK, title="Minimum Wages in Small Towns: Ten Tales"), True, False, False, id="same"),
        pytest.param(Paper("", "Tariffs and bread", "", ("Bo Ek",)), False, False, True, id="other-chapter"),
        pytest.param(Paper("", "Tariffs and bread", "Bread is dear."), False, False, True, id="other-abstract"),
        pytest.param(Paper("", "Tariffs and bread"), False, False, True, id="only-the-title-differs"),
        pytest.param(Paper("", "Tariffs and bread", "", ("A. Lee",)), False, True, False, id="same-author"),
        pytest.param(Paper("", "Pay in villages", "Wages rise.", ("A. Lee",)), True, False, False, id="retitled"),
    ],
)
def test_a_doi_alone_makes_no_duplicate(paper, same, possible, shared):
    (found,) = find_duplicates(Known([BOOK]), [replace(paper, paper_id="q")], dois={"q": "10.5555/book"})
    assert [one is not None for one in found] == [same, possible, shared]


def test_each_paper_of_a_book_is_found_again():
    chapters = [
        Paper(f"p{n}", f"{title} in towns", authors=("Ann Lee",)) for n, title in enumerate(("Wages", "Bread", "Jobs"))
    ]
    again = [replace(paper, paper_id=f"q{paper.paper_id}") for paper in chapters]
    dois = {paper.paper_id: "10.5555/book" for paper in [*chapters, *again]}
    hits = match(Known(chapters, dois=dois), again, dois=dois)
    assert [hit and hit.paper_id for hit in hits] == ["p0", "p1", "p2"]


def test_a_handle_with_other_title_and_authors_is_no_duplicate():
    known = Known([Paper("RePEc:x:y:1", "Minimum wages in towns", authors=("Ann Lee",))])
    (found,) = find_duplicates(known, [Paper("repec:x:y:1", "Trade and trust", authors=("Bo Ek",))])
    assert (found.same, found.possible, found.shared) == (None, None, Match("RePEc:x:y:1", "id", 1.0))


ONE_LETTER = [
    "Zambia Gambia",
    "Iran Iraq",
    "Austria Australia",
    "losers users",
    "theta zeta",
    "firms farms",
    "Mali Malta",
]
PREFIXED = [
    "inflation deflation",
    "micro macro",
    "endogenous exogenous",
    "overinvestment underinvestment",
    "import export",
]


@pytest.mark.parametrize("words", ONE_LETTER + PREFIXED)
@pytest.mark.parametrize("abstracts", [("", ""), ("We count {}.", "We count {}."), ("{} is old.", "Trees by rivers.")])
def test_a_word_in_place_of_another_makes_no_duplicate(words, abstracts):
    one, other = (
        Paper(paper_id, f"Trade, growth and {word} in small open towns", abstract.format(word), AUTHORS)
        for paper_id, word, abstract in zip("pq", words.split(), abstracts, strict=True)
    )
    assert match(Known([one]), [other]) == [None]


def test_other_titles_distinguish_misspellings_from_words():
    """ "bazaars" and "bazaarz" are in no word list, so other titles decide."""
    one, other = (
        Paper(word, f"Growth and {word} in small open towns", authors=AUTHORS) for word in ("bazaars", "bazaard")
    )
    more = [Paper(f"o{n}", f"Old {word} of towns", authors=("Cy Oz",)) for n, word in enumerate(("bazaars", "bazaard"))]
    assert found(other, [one]) == found(other, [one, more[0]]) == "bazaars"
    (doubt,) = find_duplicates(Known([one, *more]), [other])
    assert (doubt.same, doubt.possible and doubt.possible.paper_id) == (None, "bazaars")


def _with_words(one: str, other: str, others: list[Paper]) -> tuple[Known, Paper]:
    """Return two papers whose titles differ in one word. The first is among other papers."""
    first, second = (Paper(word, f"Growth and {word} in small open towns", authors=AUTHORS) for word in (one, other))
    return Known([first, *others]), second


def test_an_author_name_is_not_evidence_for_a_word_in_titles():
    """Titles contain "fallen", and many papers have an author called Allen."""
    others = [Paper("t", "Fallen trees", authors=("Cy Oz",))]
    others += [Paper(f"a{n}", f"Trees number {n}", authors=("Ed Allen",)) for n in range(30)]
    known, new = _with_words("fallen", "allen", others)
    assert match(known, [new])[0].paper_id == "fallen"
    others.append(Paper("late", "The Allen brain", authors=("Ed Allen",)))
    assert match(_with_words("fallen", "allen", others)[0], [new]) == [None]


def test_a_rare_misspelling_is_compared_without_the_paper_itself():
    """Of 41 other titles, 40 have the word and 1 has the misspelled word."""
    others = [Paper(f"o{n}", f"Bazaars of town {n}", authors=("Cy Oz",)) for n in range(40)]
    known, new = _with_words("bazaars", "bazaard", [*others, Paper("slip", "Old bazaard", authors=("Cy Oz",))])
    assert match(known, [new])[0].paper_id == "bazaars"


def test_a_misspelled_word_that_the_same_title_also_spells_correctly():
    more = [Paper(f"o{n}", f"Old {word} of towns", authors=("Cy Oz",)) for n, word in enumerate(("doi", "di"))]
    one = Paper("p", "An index of open doi to doi citations", authors=AUTHORS)
    other = Paper("q", "An index of open doi to di citations", authors=AUTHORS)
    assert found(other, [one, *more]) == "p"


@pytest.mark.parametrize(
    ("title", "is_same"),
    [
        pytest.param("Nonlinear first tests of two stage models that have limits", True, id="joined-negation"),
        pytest.param("Non-linear first tests of twostage models that have limits", True, id="joined-number"),
        pytest.param("Non-linear irst tests of two-stage models that have limits", True, id="number-misspelled"),
        pytest.param("Non-linear first tests of two-stage models that hive limits", True, id="function-word"),
        pytest.param("Linear first tests of two-stage models that have limits", False, id="no-negation"),
        pytest.param("Non-linear third tests of two-stage models that have limits", False, id="another-number"),
        pytest.param("Non-linear last tests of two-stage models that have limits", False, id="no-number"),
    ],
)
def test_hyphens_and_slips_in_numbers_and_function_words(title, is_same):
    # other titles have all words, so words alone would make the pair a possible duplicate
    more = [Paper(word, f"Old {word} of towns", authors=("Cy Oz",)) for word in ("hive", "have", "first", "third")]
    known = [Paper("p", "Non-linear first tests of two-stage models that have limits", authors=AUTHORS), *more]
    assert found(Paper("q", title, authors=AUTHORS), known) == ("p" if is_same else None)


@pytest.mark.parametrize("words", ["a symmetric", "no table", "not able", "1 1"])
def test_some_words_are_not_joined(words):
    one, other = (f"Studies of {word} games of three people" for word in (words, words.replace(" ", "")))
    assert found(Paper("q", other, authors=AUTHORS), [Paper("p", one, authors=AUTHORS)]) is None


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Labour organisation and behaviour of firms", "Labor organization and behavior of firms"),
        ("Modelling the centre of a banking crisis", "Modeling the center of banking crises"),
        ("Timed temporal logics (extended version)", "Timed temporal logics"),
        ("Songs of <i>P. crassidens</i> &amp; CO<sub>2</sub>", "Songs of P. crassidens & CO2"),
        ("E-commerce in the U.S. retail trade", "Ecommerce in the US retail trade"),
    ],
)
def test_other_spellings_and_versions_are_the_same(one, other):
    assert found(Paper("q", other, "We count.", AUTHORS), [Paper("p", one, "We count.", AUTHORS)]) == "p"


SERIES = "Banks and trade in old towns"


@pytest.mark.parametrize(
    "title",
    [
        *(f"{SERIES}, Part {part}" for part in ("A", "B", "II", "three")),
        *(f"{SERIES}: {kind}" for kind in ("erratum", "a reply", "a replication", "2019", "the sequel")),
        *(f"{kind} {SERIES}" for kind in ("Comment on", "Corrigendum to", "A note on", "No", "Eleven")),
    ],
)
def test_parts_and_replies_are_other_papers(title):
    known = [Paper("p", f"{SERIES}, Part C", authors=AUTHORS), Paper("o", SERIES, authors=AUTHORS)]
    assert found(Paper("q", title, authors=AUTHORS), known) is None


def test_the_same_title_and_authors_with_another_abstract_is_a_possible_duplicate():
    other = Paper("q", TITLE, "Old trees grow slowly near wide rivers.", AUTHORS)
    (doubt,) = find_duplicates(Known(KNOWN), [other])
    assert (doubt.same, doubt.possible) == (None, Match("p1", "title and authors", 1.0))


def test_an_additional_word_requires_the_same_abstract():
    abstract = "We recover marginal effects of taxes from the moves of firms between towns, and bound the bias."
    one = Paper("p", "Robust bounds on the effects of taxes", abstract, AUTHORS)
    more = "Robust bounds on the marginal effects of taxes"
    revised = abstract.replace("recover marginal", "bound").replace("moves of firms", "births of shops")
    assert found(Paper("q", more, abstract, AUTHORS), [one]) == "p"
    assert found(Paper("q", more, abstract[:60], AUTHORS), [one]) == "p"
    (doubt,) = find_duplicates(Known([one]), [Paper("q", more, revised, AUTHORS)])
    assert (doubt.same, doubt.possible and doubt.possible.paper_id) == (None, "p")


def test_a_key_that_is_only_unique_in_its_file_makes_no_duplicate():
    assert found(Paper("P2", "Money growth at the zero bound in Japan", authors=("Ken Io",))) is None


def test_of_several_versions_the_first_is_the_original():
    known = [Paper("arXiv:1701.1v2", "One"), Paper("arXiv:1701.1v1", "Two")]
    assert found(Paper("arXiv:1701.1v3", "Three"), known) == "arXiv:1701.1v2"


def test_new_papers_are_compared_only_with_earlier_ones():
    new = [Paper("P1", "Wages"), Paper("arXiv:1701.1", "Jobs"), Paper("arXiv:1701.1v2", ""), Paper("p5", TITLE)]
    hits = match(Known(KNOWN), new, n_apart=1)
    assert [hit and hit.paper_id for hit in hits] == [None, "arXiv:1701.1", "p1"]


def test_two_equally_good_candidates_make_no_duplicate():
    known = [
        Paper("p1", "Wages at work: Evidence from many towns", "We count towns.", authors=("Ann Lee",)),
        Paper("p2", "Wages at work: Stories about old villages", "Grandmothers tell us.", authors=("Ann Lee",)),
    ]
    assert found(Paper("q", "Wages at work", authors=("Ann Lee",)), known) is None
    assert found(Paper("q", "Wages at work", "We count towns.", authors=("Ann Lee",)), known) == "p1"


def test_the_candidate_with_the_same_abstract_wins_and_then_the_first():
    known = [
        Paper("p1", TITLE, "Old.", AUTHORS),
        Paper("p2", TITLE, "Newer.", AUTHORS),
        Paper("p3", TITLE, "", AUTHORS),
    ]
    assert found(Paper("q", TITLE, "Newer.", AUTHORS), known) == "p2"
    assert found(Paper("q", TITLE, "", AUTHORS), known[:2]) == "p1"


def test_without_papers_there_are_no_duplicates():
    assert match(Known([]), [Paper("q", TITLE)]) == [None]
    assert match(Known(KNOWN), []) == []


def test_unrelated_papers_do_not_change_the_matches():
    others = [
        Paper(f"o{number}", f"Jobs of people number {number} in towns", authors=("Bo Ek",)) for number in range(500)
    ]
    assert found(Paper("q", TITLE.replace("Minimum", "Minimun"), authors=AUTHORS), [*others, *KNOWN]) == "p1"


def test_a_very_long_title_is_matched_quickly():
    text = " ".join(f"Wages {number} rise. And jobs go:" for number in range(3_000))
    begin = time.process_time()
    assert compare_titles(text, "Wages rise") is None
    assert compare_titles(text, text) is not None
    assert time.process_time() - begin < 1  # would take minutes if each full stop started a subtitle


@pytest.mark.parametrize(
    ("text", "words"),
    [
        pytest.param(r"Erd\H{o}s--R\'enyi", "erdos renyi", id="latex-accents"),
        pytest.param("Erdős\N{EN DASH}Rényi", "erdos renyi", id="accents"),
        pytest.param(r"$\alpha$-Stable \emph{and} \textbf{bold}", "alpha stable and bold", id="commands"),
        pytest.param("\N{GREEK SMALL LETTER ALPHA}-stable", "alpha stable", id="greek"),
        pytest.param("Straße in Łódź, Sørensen", "strasse in lodz sorensen", id="letters-without-accent-marks"),
        pytest.param(r"Stra{\ss}e in {\L}\'od\'z, S{\o}rensen", "strasse in lodz sorensen", id="the-same-in-latex"),
        pytest.param("\N{LATIN SMALL LIGATURE FI}nds x\N{SUPERSCRIPT TWO}", "finds x 2", id="other-letter-forms"),
        pytest.param("Деньги и труд", "деньги и труд", id="cyrillic"),
    ],
)
def test_words_are_the_same_however_they_are_written(text, words):
    assert plain_words(text) == tuple(words.split())


@given(st.text(), st.text())
def test_any_two_titles_can_be_compared_and_the_order_does_not_matter(one, other):
    there, back = compare_titles(one, other), compare_titles(other, one)
    assert (there is None) == (back is None)
    assert there is None or (0 <= there.score <= 1 and there.is_whole == back.is_whole)
    assert compare_titles(one, one) is not None


@given(st.lists(st.text()), st.lists(st.text()))
def test_any_authors_can_be_compared(one, other):
    assert 0 <= compare_authors(one, other).share <= 1


@given(
    st.lists(st.builds(Paper, paper_id=st.text(min_size=1), title=st.text(), authors=st.lists(st.text()).map(tuple)))
)
def test_any_paper_is_found_again_by_its_id(papers):
    papers = [replace(paper, paper_id=f"RePEc:{paper.paper_id}") for paper in papers]
    versions = [Paper(f" {paper.paper_id}", paper.title, authors=paper.authors) for paper in papers]
    hits = match(Known(papers), versions)
    for version, hit in zip(versions, hits, strict=True):
        if key := id_key(version.paper_id):
            assert hit is not None
            assert (id_key(hit.paper_id), hit.how) == (key, "id")
