"""Reduce title words to base forms, and distinguish misspellings from different words."""

import re
from collections.abc import Collection, Iterable
from functools import lru_cache

from rapidfuzz.distance import OSA

from presort.data.duplicates.candidates import Papers
from presort.data.records import Paper
from presort.data.text.cleaning import split_words
from presort.data.text.words import plain_words, short_key

Words = tuple[str, ...]
Slip = tuple[Words, Words]  # words in one title, and the similarly spelled words in their place in the other title

LEAST_REST = 4  # minimum number of letters that two words must share after the prefix


# Prefixes that change the meaning of a word, as in "inflation" and "deflation".
PREFIXES = frozenset(
    split_words(
        "ante anti bi co contra counter de dis down endo end ex exo extra fore homo hetero hyper hypo im in infra "
        "inter intra ir il iso macro mal mega mero meso meta micro mid mini mis mono multi nano non off on out over "
        "para per peri pico poly post pre pro pseudo quasi re semi sub super supra sur syn tele trans tri ultra un "
        "under uni up"
    )
)
# First letters of words that begin with a negating "a": asymmetric, atypical, aperiodic, asocial, acyclic.
TURNED = ("asy", "aty", "ape", "aso", "acy")

# British spellings and their American forms. The results aren't always words, which is harmless, because both of the
# words being compared are rewritten.
AMERICAN = (
    (re.compile(r"(?<=\w{3})our"), "or"),  # labour, behavioural
    (re.compile(r"(?<=\w{2})s(?=ations?$|ational$)"), "z"),
    (re.compile(r"(?<=\w{3}[iy])s(?=(?:e|ed|es|ing|ers?|able)$)"), "z"),  # organise, analyse
    (re.compile(r"(?<=\w{2}[bt])re(?=s?$)"), "er"),  # centre
    (re.compile(r"(?<=\w{2})ogue(?=s?$)"), "og"),
    (re.compile(r"(?<=\w{3})ll(?=(?:ed|ing|ers?|ation)$)"), "l"),  # modelling
    (re.compile(r"^(def|off|lic|pret)ence"), r"\1ense"),
    (re.compile(r"(?<=\w)ae(?=\w)"), "e"),
    (re.compile(r"(?<=\w\wdg)e(?=ment)"), ""),  # judgement
    (re.compile(r"(?<=ag)e(?=ing$)"), ""),
    (re.compile(r"^sceptic"), "skeptic"),
    (re.compile(r"^programme"), "program"),
    (re.compile(r"^(en|ful|in)(rol|fil|stal)(?=ments?$|s?$)"), r"\1\2l"),
    (re.compile(r"^grey"), "gray"),
)
SINGULAR = (
    (re.compile(r"(?<=\w{2})ies$"), "y"),
    (re.compile(r"(?<=ss|.x)es$|(?<=[cs]h)es$"), ""),
    (re.compile(r"(?<=\w{2})s[ei]s$"), "se"),  # crises and crisis
    (re.compile(r"(?<=\w{2})i(?:ces|x)$|(?<=nd)ex$|(?<=rt)ex$"), "ice"),  # matrices and matrix, indices and index
    (re.compile(r"(?<=\w\w[^su])s$"), ""),
    (re.compile(r"men$"), "man"),
    (re.compile(r"^children$"), "child"),
)


@lru_cache(maxsize=50_000)
def base_form(word: str) -> str:
    """Return a word's base form, which is the same for British and American spellings and for singular and plural.

    The base form isn't always a word itself.

    Examples
    --------
    >>> base_form("organisations") == base_form("organization"), base_form("crises") == base_form("crisis")
    (True, True)
    >>> base_form("banks") == base_form("banking")
    False
    """
    for pattern, form in SINGULAR + AMERICAN:
        word = pattern.sub(form, word)
    return word


def is_slip(word: str, other: str) -> bool:
    """Return True if a word may be a misspelling of another word.

    The words may differ by one error, or by two if they have nine letters or more.

    Different words can be just as similar, such as "zambia" and "gambia". Use `differ_in_words` to recognise them.

    Examples
    --------
    >>> is_slip("minimum", "minimun"), is_slip("zambia", "gambia"), is_slip("inflation", "deflation")
    (True, True, False)
    """
    if {word, other} <= PREFIXES:  # these are different words, such as "micro" and "macro"
        return False
    short, long = sorted((word, other), key=len)
    if len(long) <= 3:  # short words such as "cnn" and "rnn" are different words
        is_shorter = len(long) == 3 and len(short) == 2
        return (is_shorter or sorted(short) == sorted(long)) and OSA.distance(short, long) == 1
    slips = (len(long) >= 4) + (len(long) >= 9)
    is_near = OSA.distance(word, other, score_cutoff=slips) <= slips
    return is_near and not _has_another_prefix(word, other)


def _has_another_prefix(word: str, other: str) -> bool:
    """Return True if two words differ only in a prefix that changes the meaning, like "stable" and "unstable"."""
    short, long = sorted((word, other), key=len)
    if long.startswith(TURNED) and long[1:] == short:
        return True
    for end in range(len(short) - LEAST_REST + 1):
        rest = short[end:]
        if long.endswith(rest) and _are_opposed(short[:end], long[: len(long) - len(rest)]):
            return True
    return False


def _are_opposed(prefix: str, other: str) -> bool:
    """Return True if replacing one prefix with the other changes a word's meaning. Either prefix may be empty."""
    if sorted(prefix) == sorted(other) or {prefix, other} <= {"im", "in", "il", "ir"}:
        return False  # misspellings such as "preformance" and "imcome"
    return {prefix, other} <= PREFIXES | {""}


READ_FIRST = 20  # number of papers per word to read first, which is enough to find most words in a title
# Maximum number of papers to read per word. A word that is in none of their titles is assumed to be an author's name.
MOST_READ = 500
RARE = 40  # a word is a misspelling if the other title's word occurs in at least 40 times as many papers

# Words that differ from other words by one or two letters. They are listed here because they may not occur in any
# title in a small workspace.
WELL_KNOWN = frozenset(
    base_form(word)
    for word in split_words(
        "action activation adapt admission adopt adoptions advice advise affect affected affective age aged "
        "allocation allusion ascent assent assistance attribution auction australia australian austria austrian band "
        "bank banking barking batch berth beta bind birth black block blood boil bold bond border bound boys brain "
        "bride career carer carve case cash casual causal cause chance change child chile class clock coal coast "
        "code coil cold collection collision collusion colombia colombian columbia columbian community commutation "
        "compensation competition complement compliment composition compression compressive computation concession "
        "conclusion condensation confession confessional confirmation conformation connection conservation "
        "conservative constitution contact content contention context contract contrast convection convention "
        "conversation conversion cooperate cooperation corporate corporation correction corruption cost crash "
        "creation crime crises crop crust cured cursed curve data date dead deal dean dear death debit debt "
        "deception deduction deficiency deflation dental depression deprivation dept depth derivation derivative "
        "destruction detection detention devaluation deviation device devise dice disk dispersion distraction diver "
        "diversion does dominica dominican donor dose drain driver drop dual duel early earning east easy effect "
        "effected effective efficiency efficient elder election emigrant emigration emission employee employer entry "
        "epsilon equality estimating estimation eta ethic ethnic evaluation even event evolution exception exemption "
        "expand expanding expansion expectation expend explanation exploitation exploration exportation extend "
        "extending extension extent faction fair fare farm farmer farther fate father feed feet fertility fiction "
        "fictional fight find fine finishing firm fishing flight flood flow flower foil food fork form former "
        "fraction freight friction fright fuel function functional fund futility gain gambia gambian game gate "
        "gender gentry georgia georgian german germany glass globalization glow goal gold goods grade grader grain "
        "grow guiana guyana hand hard haste having header health hear heard heart heat heath height hold honey honor "
        "horse host house human humane iceland icelandic illusion immersion immigrant immigration immunity "
        "impression inclusion india indian indiana induction information injection institution integration intend "
        "intent intention interaction interactive internal interval invention inventor inversion investor iran iraq "
        "iraqi ireland joint junction kill land last late later latvia latvian lawyer layer lead leader lean "
        "learning lease least legalization lender less level lever liberia life light line list live load loan "
        "localization location lone long loser loss lost lower lung mail main male mali mall marker market mask "
        "match mate mater matter mature meal meat medal mediation medication meditation mental metal migrant "
        "migration mind mine modal mode model moderation modulation momentary monetary money month mood moral morale "
        "mortal mothers motion motivation mouth mural nation national nature naval navel need nigeria nigerian "
        "nigerien night nodal node noise north notation note notion novel nurse oil older omission operation optical "
        "optimal option order others page paid pain pair parent paris part party past paste patch patent patient "
        "payer peace peach perception perceptive personal personnel place plan plane plant plate player point poise "
        "police policy politics polity poll pollution pool poor population port portion post potion power practical "
        "precision predation preparation prevention price pride prime principal principle prize procession "
        "production profession professional projection prosecution protection provision prussia purse quality quiet "
        "quite race rage rain raise range rank ranking rate ration rational reach reaction read reader real "
        "reception receptive recession recreation reduction reel reflection regard regression regulation rejection "
        "relation relegation remission rent rental report repression requirement resistance resolution resort rest "
        "retail retain retention retirement retribution revision revolution reward rice right rise risk river road "
        "role rotation rule rural russia russian sail sale salt sample sate save saving scale scarce scare secession "
        "section sector seduction seed selection sender separation serbia serbian series server serves session sever "
        "severe shade shape share ship shirt shock shoot shop shore short show siberia sight simple simulated "
        "simulation sinner site size skill skull slack slave slovenia slovenian slow small smart smell snow soil "
        "south spain speed spend sport stable staff stage stake star start state stationary stationery statistical "
        "statistics steal steel stick stimulated stimulation stock store storm story strain stuff succession "
        "sufficiency sufficient suit suite synthesis synthetic table tactical tail tale tank task taste tax taxi "
        "teach team tender term test texas text tick tide tied tile time title toll tone tool tower toys track tract "
        "traction trade trader trail train trait transaction transformation transition translation transportation "
        "trial tribal trust unit unity upsilon utility vacation vale valuation value valve variation vector vocation "
        "vote voter wage wall war ward warm warning waste watch water weak wealth weed week weight wheat while white "
        "whole wide wife wild will wind wine wing winner wire wives word work world worth year yearly youth zambia "
        "zambian zeta zone"
    )
)


class TitleWords:
    """Words that occur in paper titles.

    Parameters
    ----------
    papers : Papers
        Papers whose titles are searched.
    words : iterable of str
        Words that may be passed to `has_word`.
    """

    def __init__(self, papers: Papers, words: Iterable[str]) -> None:
        keys = {word: short_key(word) for word in words}
        having = papers.numbers_with("word", sorted(set(keys.values())))
        self._papers = papers
        self._counts = {word: len(having[key]) for word, key in keys.items() if key in having}
        self._papers_of = {word: having[key][:MOST_READ].tolist() for word, key in keys.items() if key in having}
        self._titles: dict[int, frozenset[str]] = {}
        self._read_titles({number for numbers in self._papers_of.values() for number in numbers[:READ_FIRST]})

    def has_word(self, word: str, instead_of: str, but: Collection[int]) -> bool:
        """Return True if a word occurs in titles, and isn't rare compared with the word that it replaces.

        If the word is comparatively rare, it is probably a misspelling in all of these titles.

        Parameters
        ----------
        word : str
            Word in a title.
        instead_of : str
            Word that the other title has in place of `word`.
        but : collection of int
            Numbers of the papers whose titles are ignored.
        """
        numbers = [number for number in self._papers_of.get(word, []) if number not in but]
        n_papers = self._counts.get(word, 0) - sum(number in but for number in self._papers_of.get(word, []))
        if n_papers * RARE <= self._counts.get(instead_of, 0):
            return False
        return self._is_in_titles(word, numbers[:READ_FIRST]) or self._is_in_titles(word, numbers[READ_FIRST:])

    def _is_in_titles(self, word: str, numbers: Collection[int]) -> bool:
        self._read_titles({number for number in numbers if number not in self._titles})
        return any(word in self._titles[number] for number in numbers)

    def _read_titles(self, numbers: Collection[int]) -> None:
        if numbers:
            read = self._papers.read(numbers)
            self._titles.update((number, frozenset(plain_words(paper.title))) for number, paper in read.items())


def differ_in_words(
    slips: Iterable[Slip], one: Paper, other: Paper, titles: TitleWords | None = None, but: Collection[int] = ()
) -> bool:
    """Return True if two titles differ in real words, not only in misspellings.

    Two words are different if both are recognised. A word is recognised if it occurs in `WELL_KNOWN` or in its paper's
    abstract. It is also recognised if it occurs in other papers' titles, unless its own paper also contains the other
    word of the pair, because the word is then probably a misspelling.

    Parameters
    ----------
    slips : iterable of (words, words)
        Pairs of similarly spelled words in the titles of `one` and `other`, as returned by `compare_titles`.
    one, other : Paper
        Papers to compare.
    titles : TitleWords or None
        Words in other papers' titles. If None, other titles are ignored.
    but : collection of int
        Numbers of the two papers in `titles`, so that their own titles are ignored.
    """
    if not (slips := list(slips)):
        return False

    def is_known(word: str, others: Words, paper: Paper) -> bool:
        abstract = frozenset(plain_words(paper.abstract))
        if base_form(word) in WELL_KNOWN or word in abstract:
            return True
        if not abstract.union(plain_words(paper.title)).isdisjoint(others):  # the paper contains both words
            return False
        return titles is not None and titles.has_word(word, others[0], but)

    return any(
        all(is_known(word, right, one) for word in left) and all(is_known(word, left, other) for word in right)
        for left, right in slips
    )
