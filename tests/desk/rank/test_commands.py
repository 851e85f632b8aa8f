"""The command that learns by night."""

from data.running import service
from tests.desk.command_line import invoke


def test_learning_by_night_sorts_past_issues_by_a_new_ranker_once(store):
    service.set_rankers(store, "krichel-2007", [], person="Ann")
    words = ["--workspace", str(store.folder), "learn", "--jobs", "1"]
    first, second = (invoke(words) for _ in range(2))
    assert (first.exit_code, first.stderr) == (0, "")
    assert " ".join(first.stdout.split()) == (
        "Past issues sorted by krichel-2007, to tell where to stop in the next: 84 rankings made."
    )
    assert second.stdout == "Nothing is due: all was learned already.\n"
