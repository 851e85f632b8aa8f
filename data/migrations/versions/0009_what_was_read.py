"""How far issues were read, what was drawn from the rest, and issues that reports pass over.

What settings kept of the first two goes into their logs; nobody knows who said it, and when.
"""

import json
import struct
from collections import defaultdict
from collections.abc import Iterator
from datetime import date
from typing import Any

import sqlalchemy as sa
from alembic import op

from presort.data.tables.guards import append_only

revision = "0009"
down_revision = "0008"

LOST = {
    "issues that reports pass over": "SELECT count(*) FROM skipped_issue",
    "marks of reading, but for the furthest of each list": """
        SELECT count(*) - count(DISTINCT report_id || ' ' || issue_id || ' ' || coalesce(ranking_id, 0))
        FROM read_mark""",
    "marks and draws of which it is known who made them, and when": """
        SELECT (SELECT count(*) FROM read_mark WHERE made_at IS NOT NULL)
            + (SELECT count(*) FROM draw WHERE made_at IS NOT NULL)""",
}

READ_TO, DRAWN = "read-to:", "drawn:"  # with which the names of the settings start
FURTHEST = """SELECT r.code, i.date, m.ranking_id, max(m.place) FROM read_mark m
    JOIN report r ON r.id = m.report_id JOIN issue i ON i.id = m.issue_id
    GROUP BY r.code, i.date, m.ranking_id ORDER BY min(m.id)"""
DRAWS = """SELECT r.code, i.date, d.ranking_id, d.n_read, d.n_rest, d.positions FROM draw d
    JOIN report r ON r.id = d.report_id JOIN issue i ON i.id = d.issue_id ORDER BY d.id"""


def upgrade() -> None:
    """Make the tables, and fill them from the settings."""
    _make_log(
        "skipped_issue",
        sa.Column("person_id", sa.Integer(), nullable=False),
        sa.Column("made_at", sa.String(), nullable=False),
        sa.Column("decisions_up_to", sa.Integer(), nullable=False),
        sa.Column("is_taken_back", sa.Boolean(), nullable=False),
    )
    _make_log(
        "read_mark",
        sa.Column("ranking_id", sa.Integer(), nullable=True),
        sa.Column("place", sa.Integer(), nullable=False),
        sa.Column("person_id", sa.Integer(), nullable=True),
        sa.Column("made_at", sa.String(), nullable=True),
        sa.CheckConstraint("place > 0", name=op.f("ck_read_mark_place")),
        _ranked("read_mark"),
    )
    _make_log(
        "draw",
        sa.Column("ranking_id", sa.Integer(), nullable=False),
        sa.Column("n_read", sa.Integer(), nullable=False),
        sa.Column("n_rest", sa.Integer(), nullable=False),
        sa.Column("positions", sa.LargeBinary(), nullable=False),
        sa.Column("person_id", sa.Integer(), nullable=True),
        sa.Column("made_at", sa.String(), nullable=True),
        _ranked("draw"),
    )
    connection = op.get_bind()
    for ids, kept in _settings(connection, READ_TO):
        for ranking, paper in json.loads(kept).items():
            _move_mark(connection, ids, ranking, paper)
    for ids, kept in _settings(connection, DRAWN):
        for one in json.loads(kept):
            _move_draw(connection, ids, *one)
    for log in ("skipped_issue", "read_mark", "draw"):
        for statement in append_only(log):
            op.execute(statement)


def downgrade() -> None:
    """Put into settings what was read, down to the furthest mark, and what was drawn; and take the tables away."""
    connection = op.get_bind()
    read = defaultdict[str, dict[str, str]](dict)
    for report, issue, ranking, place in connection.exec_driver_sql(FURTHEST).all():
        name = f"{READ_TO}{report}:{issue}"
        read[name]["received" if ranking is None else str(ranking)] = _paper_at(connection, issue, ranking, place)
    drawn = defaultdict[str, list[list[Any]]](list)
    for report, issue, *numbers, packed in connection.exec_driver_sql(DRAWS).all():
        drawn[f"{DRAWN}{report}:{issue}"].append([*numbers, [place for (place,) in struct.iter_unpack("<i", packed)]])
    for name, kept in {**read, **drawn}.items():
        statement = sa.text("INSERT INTO setting (name, value) VALUES (:name, :value)")
        connection.execute(statement, {"name": name, "value": json.dumps(kept)})
    for table in ("draw", "read_mark", "skipped_issue"):
        op.drop_table(table)


def _paper_at(connection: sa.Connection, issue: str, ranking: int | None, place: int) -> str:
    """Return the paper at a place of a ranking, or of the order received; who joined later keeps its place."""
    if ranking is not None:
        query = sa.text("SELECT positions FROM ranking WHERE id = :id")
        order = [one for (one,) in struct.iter_unpack("<i", connection.execute(query, {"id": ranking}).scalar_one())]
        place = order[place - 1] if place <= len(order) else place
    query = sa.text(
        "SELECT p.paper_id FROM paper p JOIN listing l ON l.paper_id = p.id JOIN issue i ON i.id = l.issue_id "
        "WHERE i.date = :issue AND l.position = :place"
    )
    paper: str = connection.execute(query, {"issue": issue, "place": place}).scalar_one()
    return paper


def _ranked(table: str) -> sa.ForeignKeyConstraint:
    return sa.ForeignKeyConstraint(
        ["ranking_id", "report_id", "issue_id"],
        ["ranking.id", "ranking.report_id", "ranking.issue_id"],
        name=f"fk_{table}_ranking_id",
    )


def _make_log(name: str, *columns: sa.Column[Any] | sa.Constraint) -> None:
    op.create_table(
        name,
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("report_id", sa.Integer(), nullable=False),
        sa.Column("issue_id", sa.Integer(), nullable=False),
        *columns,
        *(sa.ForeignKeyConstraint([f"{to}_id"], [f"{to}.id"], name=f"fk_{name}_{to}_id") for to in ("issue", "report")),
        sa.ForeignKeyConstraint(["person_id"], ["person.id"], name=f"fk_{name}_person_id"),
        sa.PrimaryKeyConstraint("id", name=f"pk_{name}"),
        sqlite_autoincrement=True,
    )
    op.create_index(f"ix_{name}_report_id_issue_id_id", name, ["report_id", "issue_id", "id"])


def _settings(connection: sa.Connection, start: str) -> Iterator[tuple[dict[str, int], str]]:
    """Take the settings that start so, and yield each with the report and the issue that its name ends with."""
    named = {"start": f"{start}%"}
    found = connection.execute(sa.text("SELECT name, value FROM setting WHERE name LIKE :start ORDER BY name"), named)
    for name, kept in found.all():
        report, _, issue = name.removeprefix(start).rpartition(":")
        ids = connection.execute(
            sa.text("SELECT r.id, i.id FROM report r, issue i WHERE r.code = :report AND i.date = :issue"),
            {"report": report, "issue": str(date.fromisoformat(issue))},
        ).one()
        yield dict(zip(("report", "issue"), ids, strict=True)), kept
    connection.execute(sa.text("DELETE FROM setting WHERE name LIKE :start"), named)


def _move_mark(connection: sa.Connection, ids: dict[str, int], ranking: str, paper: str) -> None:
    """Move a mark, kept as the paper that stands in a ranking, or in the order received, at the place read to."""
    number = int(ranking) if ranking.isdecimal() else None
    place = connection.execute(
        sa.text(
            "SELECT l.position FROM listing l JOIN paper p ON p.id = l.paper_id "
            "WHERE l.issue_id = :issue AND p.paper_id = :paper"
        ),
        {"issue": ids["issue"], "paper": paper},
    ).scalar_one()
    if number is not None:
        packed = connection.execute(
            sa.text("SELECT positions FROM ranking WHERE id = :id"), {"id": number}
        ).scalar_one()
        order = [position for (position,) in struct.iter_unpack("<i", packed)]
        place = order.index(place) + 1 if place in order else place  # who joined after the ranking keeps its place
    connection.execute(
        sa.text(
            "INSERT INTO read_mark (report_id, issue_id, ranking_id, place) VALUES (:report, :issue, :ranking, :place)"
        ),
        ids | {"ranking": number, "place": place},
    )


def _move_draw(
    connection: sa.Connection, ids: dict[str, int], ranking: int, read_to: int, n_rest: int, positions: list[int]
) -> None:
    connection.execute(
        sa.text(
            "INSERT INTO draw (report_id, issue_id, ranking_id, n_read, n_rest, positions) "
            "VALUES (:report, :issue, :ranking, :read_to, :n_rest, :packed)"
        ),
        ids
        | {
            "ranking": ranking,
            "read_to": read_to,
            "n_rest": n_rest,
            "packed": struct.pack(f"<{len(positions)}i", *positions),
        },
    )
