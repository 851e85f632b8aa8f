"""Ask a repository who it is, to find out whether it can be harvested."""

from presort.data.harvest.download import download
from presort.data.harvest.errors import HarvestError
from presort.data.harvest.kept import check_url
from presort.data.harvest.pages import OAI, holds_error, read_page, request


def identify(url: str, *, allow_private: bool) -> str:
    """Return the name that a repository gives itself, else its address. Asks once, and does not wait if it is busy.

    Raises
    ------
    HarvestError
        If it can't be asked, does not answer, or is no OAI-PMH repository.
    """
    check_url(url)
    asked = request(url, {"verb": "Identify"})
    answer = download(asked, allow_private=allow_private)
    if answer.status != 200 and not holds_error(answer.content):
        raise HarvestError(f"{asked}: the server answered with {answer.status}.")
    # Some repositories answer with something else, but can be harvested all the same.
    name = read_page(url, answer.content).root.findtext(f"{OAI}Identify/{OAI}repositoryName") or ""
    return " ".join(name.split()) or url
