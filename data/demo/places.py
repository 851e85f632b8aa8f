"""Countries that the invented papers study, and in which their authors live."""

from typing import NamedTuple


class Place(NamedTuple):
    """Country, with its name as written after "in", its adjective, and its region ("nordic", "rich" or "emerging")."""

    name: str
    adjective: str
    region: str


def _places(region: str, listed: str) -> tuple[Place, ...]:
    pairs = (item.split("/") for item in listed.split("; "))
    return tuple(Place(name, adjective, region) for name, adjective in pairs)


NORDIC = _places("nordic", "Norway/Norwegian; Sweden/Swedish; Denmark/Danish; Finland/Finnish; Iceland/Icelandic")
RICH = _places(
    "rich",
    "the United States/American; Germany/German; France/French; Italy/Italian; Spain/Spanish; Japan/Japanese; "
    "the Netherlands/Dutch; Canada/Canadian; Australia/Australian; Austria/Austrian; Poland/Polish; "
    "Portugal/Portuguese; Switzerland/Swiss; South Korea/Korean; Ireland/Irish; Greece/Greek; "
    "Belgium/Belgian; Czechia/Czech; New Zealand/New Zealand; Estonia/Estonian; Hungary/Hungarian; the United "
    "Kingdom/British; Israel/Israeli",
)
EMERGING = _places(
    "emerging",
    "India/Indian; China/Chinese; Brazil/Brazilian; Kenya/Kenyan; Mexico/Mexican; Indonesia/Indonesian; "
    "Ghana/Ghanaian; Turkey/Turkish; South Africa/South African; Vietnam/Vietnamese; Peru/Peruvian; "
    "Bangladesh/Bangladeshi; Colombia/Colombian; Ethiopia/Ethiopian; Côte d'Ivoire/Ivorian; Morocco/Moroccan; "
    "Nepal/Nepalese; Chile/Chilean; Tanzania/Tanzanian; the Philippines/Philippine; Egypt/Egyptian; "
    "Uganda/Ugandan",
)
# Nordic countries are drawn half as often as other countries.
PLACES_OF: dict[str, tuple[Place, ...]] = {
    "rich": 2 * RICH + NORDIC,
    "emerging": EMERGING,
    "any": 2 * RICH + NORDIC + 2 * EMERGING,
}
