"""How replays are named."""

from presort.data.records import Replay
from presort.desk.text import counted

EDITORS = "Seen, or else replayed"


def replay_named(replay: Replay) -> str:
    """Name a replay.

    Examples
    --------
    >>> from datetime import date
    >>> replay_named(Replay(2, date(2018, 7, 2), date(2019, 6, 24), 13))
    'Replay 2: 2018-07-02 to 2019-06-24, trained every 13 issues'
    """
    every = counted(replay.retrain_every, "issue")
    return f"Replay {replay.id}: {replay.first_issue} to {replay.last_issue}, trained every {every}"


def source_named(replay: Replay | None) -> str:
    """Name where rankings come from: a replay, or those that editors saw and, where they saw none, replays."""
    return EDITORS if replay is None else replay_named(replay)
