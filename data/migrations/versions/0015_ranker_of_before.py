"""A service that was sorted before stays with the ranker that sorted it; a new one begins with a better one.

Where no ranker had been chosen, presort-1 sorted.
"""

from alembic import op

revision = "0015"
down_revision = "0014"

# A service that was sorted for editors, with issues for which no choice holds.
WAS_SORTED = """EXISTS (SELECT * FROM ranking WHERE replay_id IS NULL)
AND NOT EXISTS (SELECT * FROM ranker_choice WHERE "after" IS NULL)"""


def upgrade() -> None:
    """Log presort-1 as the choice for all issues before the first that was made."""
    op.execute(f"INSERT INTO person (name) SELECT 'presort' WHERE {WAS_SORTED} ON CONFLICT DO NOTHING")
    op.execute(
        'INSERT INTO ranker_choice (id, active, shadows, "after", person_id, made_at) '
        "SELECT coalesce((SELECT min(id) FROM ranker_choice), 1) - 1, 'presort-1', '', NULL, person.id, "
        f"strftime('%Y-%m-%dT%H:%M:%f+00:00', 'now') FROM person WHERE person.name = 'presort' AND {WAS_SORTED}"
    )


def downgrade() -> None:
    """Leave the choice as it is: it holds there, too, and is not logged twice."""
