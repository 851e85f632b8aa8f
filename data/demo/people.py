"""Generate the invented authors. Each has a topic, a country, a paper series and a circle of coauthors."""

from collections.abc import Iterator
from dataclasses import dataclass

from presort.data.demo.dice import Dice
from presort.data.demo.names import GIVEN_AND_SURNAMES, SERIES
from presort.data.demo.places import EMERGING, NORDIC, RICH, Place
from presort.data.demo.topics import TOPICS

N_PEOPLE = 1200
CIRCLE_SIZE = 9
SHARE_WITH_INITIALS = 0.08
HOMES = 3 * RICH + 4 * NORDIC + 2 * EMERGING


@dataclass(frozen=True, slots=True)
class Person:
    """Invented author. Authors who share a topic and a circle often write papers together."""

    name: str
    topic: str
    circle: int
    home: Place
    series: str


@dataclass(frozen=True)
class People:
    """All authors, grouped by topic and by circle. The authors listed first for a topic write the most papers."""

    all: tuple[Person, ...]
    by_topic: dict[str, tuple[Person, ...]]
    by_circle: dict[tuple[str, int], tuple[Person, ...]]

    def authors(self, topic: str, dice: Dice) -> tuple[Person, ...]:
        """Draw a paper's authors: a lead author, who usually works on the topic, and up to four coauthors."""
        lead = dice.pick_early(self.by_topic[topic]) if dice.chance(0.88) else dice.pick(self.all)
        team = [lead]
        for _ in range(dice.pick_weighted((0, 1, 2, 3, 4), (22, 38, 26, 11, 3))):
            circle = self.by_circle[lead.topic, lead.circle]
            known = circle if dice.chance(0.75) else self.by_topic[lead.topic]
            other = dice.pick(known if dice.chance(0.93) else self.all)
            if other not in team:
                team.append(other)
        return tuple(team)


def make_people(seed: int) -> People:
    """Generate the invented authors.

    Parameters
    ----------
    seed : int
        Random seed. The same seed always produces the same authors.

    Returns
    -------
    People
        About 1,200 authors, no two of whom have the same name.

    Examples
    --------
    >>> people = make_people(1)
    >>> len({person.name for person in people.all}) == len(people.all)
    True
    """
    dice = Dice(seed, "people")
    names = iter(_names(dice))
    total = sum(topic.weight for topic in TOPICS.values())
    by_topic: dict[str, tuple[Person, ...]] = {}
    by_circle: dict[tuple[str, int], tuple[Person, ...]] = {}
    for key, topic in TOPICS.items():
        n_circles = max(1, round(topic.weight / total * N_PEOPLE / CIRCLE_SIZE))
        for circle in range(n_circles):
            by_circle[key, circle] = _circle(key, circle, names, dice)
        members = [person for circle in range(n_circles) for person in by_circle[key, circle]]
        by_topic[key] = tuple(dice.permute(members))
    return People(tuple(person for group in by_topic.values() for person in group), by_topic, by_circle)


def _circle(topic: str, circle: int, names: Iterator[str], dice: Dice) -> tuple[Person, ...]:
    meeting_place = dice.pick(HOMES)
    members = []
    for _ in range(CIRCLE_SIZE):
        home = meeting_place if dice.chance(0.6) else dice.pick(HOMES)
        members.append(Person(next(names), topic, circle, home, _series(topic, home, dice)))
    return tuple(members)


def _series(topic: str, home: Place, dice: Dice) -> str:
    fitting = [
        (name, 3.0 if topics else 1.0)
        for name, regions, topics in SERIES
        if home.region in regions.split() and (not topics or topic in topics.split())
    ]
    return dice.pick_weighted([name for name, _ in fitting], [weight for _, weight in fitting])


def _names(dice: Dice) -> list[str]:
    names = [
        f"{given} {surname}"
        for given_names, surnames in GIVEN_AND_SURNAMES
        for given in given_names
        for surname in surnames
    ]
    return list(dict.fromkeys(_with_initial(name, dice) for name in dice.permute(names)))


def _with_initial(name: str, dice: Dice) -> str:
    if not dice.chance(SHARE_WITH_INITIALS):
        return name
    given, surname = name.split(" ", 1)
    if dice.chance(0.5):
        return f"{given} {dice.pick('ABCDEFGHJKLMPRST')}. {surname}"
    return f"{given[0]}. {dice.pick('ABCDEFGHJKLMPRST')}. {surname}"
