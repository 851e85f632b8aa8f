"""Access rights: every role at every function that reads or writes, for the user's own report and another one."""

import importlib
import inspect
import pkgutil
import shutil
from contextlib import AbstractContextManager, closing
from datetime import UTC, date, datetime, timedelta

import pytest

import presort.desk.service
import presort.desk.session
from presort import data
from presort.data import catalogue
from presort.data.editing import decisions
from presort.data.errors import DataError
from presort.data.learning.rankings import add_rankings
from presort.data.mail import mailings, readers
from presort.data.records import Editorship, Identity, Report, Role
from presort.data.rights import ForbiddenError, SignedOutError
from presort.data.running import accounts, people, roles
from presort.data.store import Store, open_store
from presort.desk import access
from presort.desk.access import SignIn
from tests.data.workspaces import FIRST, make_issue, make_ranking, say, send_out, take_in
from tests.desk.rights_table import ANYBODY, BESIDE, CHANGE, DIRECTOR, EDITOR, LOOK, NOTHING, OWN, RIGHTS, USUAL

ISSUER = "https://id.example.org"
# Roles to test, and their rights on "lab".
ROLES = {
    "Dora, who directs": {ANYBODY, LOOK, CHANGE, EDITOR, DIRECTOR},
    "Ann, who edits it": {ANYBODY, LOOK, CHANGE, EDITOR, OWN},
    "Sue, who stands in": {ANYBODY, LOOK, CHANGE, EDITOR},
    "Vic, who looks at it": {ANYBODY, LOOK},
    "Bo, who edits another": {ANYBODY, EDITOR},
    "Wim, who looks at another": {ANYBODY},
    "Eve, who edited it": set(),
    "Tom, who will stand in": set(),
    "Nora, who has no role": set(),
}
FUNCTIONS = {
    f"{module}.{name}": right
    for module, by_right in RIGHTS.items()
    for right, names in by_right.items()
    for name in names.split()
}


def modules(package):
    for found in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
        if ".migrations" not in found.name and found.name != "presort.data.store":
            yield importlib.import_module(found.name)


def takes_store(function):
    return any(parameter.annotation is Store for parameter in inspect.signature(function).parameters.values())


@pytest.fixture(scope="module")
def service(tmp_path_factory, empty_workspace):
    """Service with two reports and a signed-in user of each kind."""
    folder = shutil.copytree(empty_workspace, tmp_path_factory.mktemp("rights") / "workspace")
    with closing(open_store(folder)) as store:
        catalogue.add_reports(store, [Report("lab", "Labour"), Report("his", "History")])
        take_in(store, make_issue(3))
        add_rankings(store, [make_ranking(order=(3, 1, 2)), make_ranking("his", order=(1, 2, 3))])
        decisions.decide(store, [say("lab", "a1", "yes")])
        today, day = date.today(), timedelta(days=1)
        for one in (
            Editorship("lab", "Ann", FIRST - 99 * day),
            Editorship("lab", "Sue", today, today, away="Ann"),
            Editorship("lab", "Tom", today + day, today + 2 * day, away="Ann"),
            Editorship("lab", "Eve", FIRST - 99 * day, today - day),
            Editorship("his", "Bo", FIRST),
        ):
            people.add_editorship(store, one, person="manage")
        for one in (Role("Dora", "director"), Role("Vic", "viewer", "lab"), Role("Wim", "viewer", "his")):
            roles.grant(store, one, person="manage")
        for who in ROLES:
            name = who.split(",")[0]
            accounts.accept(store, accounts.invite(store, name, person="manage"), Identity(ISSUER, name))
        accounts.invite(store, "Zed", person="manage")
        readers.add_readers(store, "his", [("zed@example.org", "")], person="manage")
        send_out(store, "his")
        yield store


def as_person(store, name, since=None):
    return access.guard_store(store, SignIn(Identity(ISSUER, name), since or datetime.now(UTC)))


def call(store, qualified, **others):
    """Call a function with the arguments of the table, to its end. Errors of the workspace's state are ignored."""
    module, _, name = qualified.rpartition(".")
    function = getattr(importlib.import_module(module), name)
    given = USUAL | {"store": store} | BESIDE.get(qualified, {}) | others
    parameters = inspect.signature(function).parameters.values()
    missing = [one.name for one in parameters if one.default is one.empty and one.name not in given]
    assert not missing, f"rights_table says nothing of {missing} of {qualified}"
    # Optional parameters are left out, except the report: without it the call would cover all reports.
    wanted = [one for one in parameters if one.default is one.empty or one.name in ("report", "reports")]
    try:
        result = function(**{one.name: given[one.name] for one in wanted})
        if inspect.isgenerator(result):
            list(result)
        elif isinstance(result, AbstractContextManager):
            with result:
                pass
    except (ForbiddenError, SignedOutError):
        raise
    except DataError:
        pass


def test_the_table_names_every_function_that_reads_or_writes():
    found = {
        f"{module.__name__}.{name}"
        for package in (data, presort.desk.service, presort.desk.session)
        for module in modules(package)
        for name, function in inspect.getmembers(module, inspect.isfunction)
        if function.__module__ == module.__name__ and not name.startswith("_") and takes_store(function)
    }
    assert found == set(FUNCTIONS)


@pytest.mark.parametrize("qualified", [one for one, right in FUNCTIONS.items() if right != NOTHING])
def test_every_role_has_exactly_its_rights(service, qualified):
    if qualified == "presort.data.mail.mailings.settle":
        assert mailings.claim(service, "his", FIRST, mailings.prepare(service, "his", FIRST))
    right = FUNCTIONS[qualified]
    for who, rights in ROLES.items():
        store = as_person(service, who.split(",")[0])
        if right in rights:
            call(store, qualified)
        else:
            with pytest.raises(ForbiddenError):
                call(store, qualified)
    stranger, of_yesterday = as_person(service, "a stranger"), as_person(service, "Ann", long_ago())
    for nobody in (access.guard_store(service, None), stranger, of_yesterday):
        with pytest.raises(SignedOutError):
            call(nobody, qualified)


def test_a_sign_in_that_ends_while_a_list_is_open_ends_there(service, monkeypatch):
    store = as_person(service, "Ann")
    assert decisions.labels(store, "lab", FIRST)
    monkeypatch.setattr(access, "SIGNED_IN_FOR", timedelta(seconds=-1))
    with pytest.raises(SignedOutError):
        decisions.labels(store, "lab", FIRST)


def test_a_code_with_a_space_grants_no_right_to_its_parts(service):
    catalogue.add_reports(service, [Report("his lab", "Both in its code"), Report("viewer:lab", "A colon")])
    people.add_editorship(service, Editorship("his lab", "Odd", FIRST), person="manage")
    roles.grant(service, Role("Odd", "viewer", "viewer:lab"), person="manage")
    account = Identity(ISSUER, "Odd")
    accounts.accept(service, accounts.invite(service, "Odd", person="manage"), account)
    found = roles.member(service, account, datetime.now(UTC))
    assert (found.edits, found.views) == ({"his lab"}, {"viewer:lab"})
    for code in ("lab", "his"):
        with pytest.raises(ForbiddenError):
            decisions.labels(as_person(service, "Odd"), code, FIRST)


def long_ago():
    return datetime.now(UTC) - access.SIGNED_IN_FOR - timedelta(minutes=1)
