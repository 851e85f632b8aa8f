"""Read back the log of decisions: what is new, what was said of one paper, and how long it took."""

from collections.abc import Sequence
from datetime import date, timedelta
from itertools import pairwise
from typing import Any, cast

from sqlalchemy import ColumnElement, Connection, select

from data.catalogue import issue_id, report_id
from data.records import About, LoggedDecision, Word
from data.store import Store
from data.tables import DecisionRow, PaperRow, PersonRow

LONGEST_PAUSE = timedelta(minutes=5)


def decisions_since(store: Store, report: str, issue: date, number: int) -> list[LoggedDecision]:
    """Give what was decided on an issue for a report after the decision of that number in the log, oldest first."""
    with store.reading() as connection:
        return _decisions(connection, report, issue, DecisionRow.id > number)


def history_of(store: Store, report: str, issue: date, paper_id: str) -> list[LoggedDecision]:
    """Give all that was decided on one paper of an issue, oldest first."""
    with store.reading() as connection:
        return _decisions(connection, report, issue, PaperRow.paper_id == paper_id)


def minutes_spent(store: Store, report: str, issue: date) -> float:
    """Estimate how long people have worked on a report issue, in minutes, from the times of their decisions.

    The pauses of each person between one decision and the next are added up, none as more than five minutes. What
    came before a first decision is not seen: 0 before a second one.
    """
    with store.reading() as connection:
        rows = connection.execute(
            select(DecisionRow.person_id, DecisionRow.made_at)
            .where(
                DecisionRow.report_id == report_id(connection, report),
                DecisionRow.issue_id == issue_id(connection, issue),
            )
            .order_by(DecisionRow.person_id, DecisionRow.made_at)
        ).all()
    pauses = (later - earlier for (one, earlier), (other, later) in pairwise(rows) if one == other)
    return sum((min(pause, LONGEST_PAUSE) for pause in pauses), timedelta()) / timedelta(minutes=1)


def _decisions(connection: Connection, report: str, issue: date, wanted: ColumnElement[bool]) -> list[LoggedDecision]:
    rows: Sequence[Any] = connection.execute(
        select(
            DecisionRow.id,
            PaperRow.paper_id,
            DecisionRow.about,
            DecisionRow.word,
            PersonRow.name,
            DecisionRow.made_at,
            DecisionRow.client_id,
        )
        .join(PaperRow, PaperRow.id == DecisionRow.paper_id)
        .join(PersonRow, PersonRow.id == DecisionRow.person_id)
        .where(
            DecisionRow.report_id == report_id(connection, report),
            DecisionRow.issue_id == issue_id(connection, issue),
            wanted,
        )
        .order_by(DecisionRow.id)
    ).all()
    return [
        LoggedDecision(number, paper, cast("About", about), cast("Word", word), person, made_at, client_id)
        for number, paper, about, word, person, made_at, client_id in rows
    ]
