"""Generate invented papers, each with a subject, title, abstract and metadata."""

from dataclasses import dataclass, replace
from datetime import date, timedelta

from presort.data.demo import sentences
from presort.data.demo.dice import Dice
from presort.data.demo.grammar import Phrase, fill, title_case
from presort.data.demo.methods import Method, methods_for
from presort.data.demo.people import People, Person
from presort.data.demo.places import PLACES_OF, Place
from presort.data.demo.topics import TOPICS, Topic
from presort.data.records import Paper

TOPIC_KEYS = tuple(TOPICS)
SHARE_OF_TWO = 0.55  # share of papers that get a second topic
HABIT = 0.6  # share of papers that use the usual cause, channel and data set of the first author's circle
CROSSED = 0.35  # share of eligible two-topic papers in which the topics swap their causes
UP = ("raise", "raises", "raised", "rose", "risen", "higher", "lower")  # these words are also the slot names
DOWN = ("lower", "lowers", "lowered", "fell", "fallen", "lower", "higher")
DIRECTIONS = tuple({slot: Phrase(word) for slot, word in zip(UP, words, strict=True)} for words in (UP, DOWN))
NO_ABSTRACT = 0.03  # share of papers without an abstract; the constants below are also shares of all papers
NO_CODES = 0.03
MISPRINTED_TITLE = 0.012
MISPRINTED_ABSTRACT = 0.05
INITIALS_ONLY = 0.03


@dataclass(frozen=True, slots=True)
class Draft:
    """Generated paper, with the features that determined its content."""

    paper: Paper
    topic: str
    second: str  # second topic; empty if the paper has only one
    method: Method
    place: Place
    authors: tuple[Person, ...]


def write_paper(paper_id: str, issue: date, *, people: People, dice: Dice) -> Draft:
    """Generate a paper for an issue.

    Examples
    --------
    >>> from presort.data.demo.people import make_people
    >>> draft = write_paper("demo:wp:2026-0001", date(2026, 11, 16), people=make_people(1), dice=Dice(1, "example"))
    >>> draft.paper.paper_id, len(draft.paper.authors) == len(draft.authors)
    ('demo:wp:2026-0001', True)
    """
    key = dice.pick_weighted(TOPIC_KEYS, [topic.weight for topic in TOPICS.values()])
    second = _second_topic(key, dice) if dice.chance(SHARE_OF_TWO) else ""
    authors = people.authors(key, dice)
    topic = TOPICS[key]
    method = dice.pick(methods_for(dice.pick_weighted(tuple(topic.kinds), tuple(topic.kinds.values())), key))
    place = dice.pick(PLACES_OF[topic.region])
    if authors[0].home in PLACES_OF[topic.region] and dice.chance(0.5):
        place = authors[0].home
    words = _words(topic, TOPICS.get(second), method, place, dice)
    if dice.chance(HABIT):
        words |= _habits(authors[0])
    paper = Paper(
        paper_id=paper_id,
        title=_title(method.kind, words, dice),
        abstract=_abstract(method, words, dice),
        authors=tuple(person.name for person in authors),
        codes=_codes(topic, TOPICS.get(second), method, dice),
        series=dice.pick(authors).series,
        date=(issue - timedelta(days=dice.draw_integer(4, 60))).isoformat(),
    )
    return Draft(_add_flaws(paper, dice), key, second, method, place, authors)


def _second_topic(key: str, dice: Dice) -> str:
    near = TOPICS[key].near if dice.chance(0.88) else TOPIC_KEYS
    second = dice.pick(near)
    return "" if second in (key, "econometrics") else second


def _words(topic: Topic, second: Topic | None, method: Method, place: Place, dice: Dice) -> dict[str, Phrase]:
    """Choose a phrase for each slot. The title and the abstract use the same phrases."""
    words = {"place": Phrase(place.name), "nation": Phrase(place.adjective), "method": method.name}
    words |= _vocabulary(topic, "", dice)
    words["other"] = dice.pick([phrase for phrase in topic.outcomes if phrase != words["outcome"]])
    if second is not None:
        words |= _vocabulary(second, "2", dice)
        can_cross = method.kind != "asymptotic" and second in [TOPICS[key] for key in topic.near]
        if can_cross and dice.chance(CROSSED):
            words["cause"], words["cause2"] = words["cause2"], words["cause"]
    return words | _numbers(dice) | dice.pick(DIRECTIONS)


def _habits(author: Person) -> dict[str, Phrase]:
    """Return the cause, channel and data set that an author's circle often uses in its papers."""
    topic = TOPICS[author.topic]
    return {
        "cause": topic.causes[author.circle % len(topic.causes)],
        "channel": topic.channels[author.circle % len(topic.channels)],
        "data": topic.data[author.circle % len(topic.data)],
    }


def _vocabulary(topic: Topic, suffix: str, dice: Dice) -> dict[str, Phrase]:
    return {
        "theme" + suffix: topic.theme,
        "outcome" + suffix: dice.pick_early(topic.outcomes),
        "cause" + suffix: dice.pick_early(topic.causes),
        "group" + suffix: dice.pick_early(topic.groups),
        "channel" + suffix: dice.pick_early(topic.channels),
        "data" + suffix: dice.pick_early(topic.data),
        "policy" + suffix: dice.pick_early(topic.policies),
    }


def _numbers(dice: Dice) -> dict[str, Phrase]:
    start = dice.draw_integer(1984, 2014)
    end = dice.draw_integer(start + 4, 2024)
    texts = {
        "size": dice.pick((f"{dice.draw_uniform(0.5, 12):.1f}", str(dice.draw_integer(2, 45)))),
        "decimal": f"{dice.draw_uniform(0.05, 0.9):.2f}",
        "quarters": str(dice.draw_integer(3, 16)),
        "fewcount": str(dice.draw_integer(2, 9)),
        "smallcount": str(dice.draw_integer(12, 180)),
        "people": f"{dice.draw_integer(210, 48000):,}",
        "year": str(dice.draw_integer(start + 1, end - 1)),
        "years": dice.pick((f"from {start} to {end}", f"between {start} and {end}")),
        "span": f"{start}\u2013{end}",
        "lead": dice.pick(sentences.LEADS),
    }
    return {slot: Phrase(text) for slot, text in texts.items()}


def _title(kind: str, words: dict[str, Phrase], dice: Dice) -> str:
    if kind == "asymptotic":
        return _vary_case(fill(dice.pick(sentences.TITLES_OF_KIND[kind]), words), dice)
    if dice.chance(0.025):
        return fill(dice.pick(sentences.SPECIAL_TITLES), words)
    choices = [(sentences.TITLES, 6.0), (sentences.TITLES_OF_KIND[kind], 3.0)]
    if "theme2" in words:
        choices.append((sentences.TITLES_OF_TWO, 2.5))
    pattern = dice.pick(dice.pick_weighted([titles for titles, _ in choices], [weight for _, weight in choices]))
    if dice.chance(0.015):
        return fill(pattern.rstrip("?") + dice.pick(sentences.LONG_TAILS), words)
    return _vary_case(fill(pattern, words), dice)


def _vary_case(title: str, dice: Dice) -> str:
    """Convert a title to title case half of the time.

    The first word after a question mark is always capitalised. The first word after a colon is capitalised only in
    title case.
    """
    capitals = dice.chance(0.5)
    words = title.split(" ")
    if capitals:
        words = [title_case(word) for word in words]
    for number, word in enumerate(words[:-1]):
        if word[-1] in ":?" and (capitals or word[-1] == "?"):
            words[number + 1] = words[number + 1][:1].upper() + words[number + 1][1:]
    return " ".join(words)


def _abstract(method: Method, words: dict[str, Phrase], dice: Dice) -> str:
    patterns = []
    for choices, chance in sentences.SHAPES[method.kind]:
        if choices in sentences.OF_TWO_TOPICS and "theme2" not in words:
            continue
        if dice.chance(chance):
            patterns.append(dice.pick(method.sentences if choices is sentences.METHOD else choices))
    return " ".join(fill(pattern, words) for pattern in patterns[:8])


def _codes(topic: Topic, second: Topic | None, method: Method, dice: Dice) -> tuple[str, ...]:
    codes = [dice.pick_early(topic.codes) for _ in range(dice.draw_integer(1, 3))]
    if second is not None and dice.chance(0.7):
        codes.append(dice.pick_early(second.codes))
    if dice.chance(0.4):
        codes.append(method.code)
    return tuple(sorted(set(codes)))


def _add_flaws(paper: Paper, dice: Dice) -> Paper:
    """Return the paper, in some cases with a flaw such as a missing abstract or a misprint.

    Examples
    --------
    >>> paper = Paper("1", "A title", abstract="An abstract.")
    >>> dice = Dice(1, "example")
    >>> {_add_flaws(paper, dice).abstract for _ in range(200)} >= {"An abstract.", ""}
    True
    """
    if dice.chance(NO_ABSTRACT):
        paper = replace(paper, abstract="")
    if dice.chance(NO_CODES):
        paper = replace(paper, codes=())
    if dice.chance(INITIALS_ONLY):
        paper = replace(paper, authors=tuple(_with_initial(name) for name in paper.authors))
    if dice.chance(MISPRINTED_TITLE):
        paper = replace(paper, title=_add_misprint(paper.title, dice))
    if dice.chance(MISPRINTED_ABSTRACT):
        paper = replace(paper, abstract=_add_misprint(paper.abstract, dice))
    return paper


def _with_initial(name: str) -> str:
    given, _, rest = name.partition(" ")
    return f"{given[0]}. {rest}"


def _add_misprint(text: str, dice: Dice) -> str:
    """Swap two letters in one of the longer words. Returns the text unchanged if all of its words are short."""
    words = text.split(" ")
    long = [number for number, word in enumerate(words) if len(word) > 5 and word.isalpha()]
    if not long:
        return text
    number = dice.pick(long)
    word = words[number]
    at = dice.draw_integer(1, len(word) - 3)
    words[number] = word[:at] + word[at + 1] + word[at] + word[at + 2 :]
    return " ".join(words)
