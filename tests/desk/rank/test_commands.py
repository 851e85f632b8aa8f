"""The command that trains models at night."""

from presort.data.running import service
from presort.desk.service.past_lists import missing_lists
from tests.desk.command_line import invoke


def test_learn_ranks_past_issues_with_a_new_ranker_once(store):
    service.set_rankers(store, "krichel-2007", [], person="Ann")
    n_missing = len(missing_lists(store, "krichel-2007"))
    words = ["--workspace", str(store.folder), "learn", "--jobs", "1"]
    first, second = (invoke(words) for _ in range(2))
    assert (first.exit_code, first.stderr) == (0, "")
    assert " ".join(first.stdout.split()) == (
        f"Past issues ranked by krichel-2007 for stop advice: {n_missing} rankings."
    )
    assert second.stdout == "All models are up to date.\n"
