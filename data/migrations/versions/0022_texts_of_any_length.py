"""Hints and words of any length: what an index of PostgreSQL holds must be shorter than 2,704 bytes.

The index of hints held their texts, an example of 20,000 characters among them. Of a long word, or of all authors in
one field, a token is kept as the tokeniser makes it now, by its beginning and a digest.
"""

import hashlib

import sqlalchemy as sa
from alembic import op

revision = "0022"
down_revision = "0021"
LONGEST, HEAD = 200, 100  # letters of a token


def upgrade() -> None:
    """Leave the texts out of the index, and shorten long tokens."""
    op.drop_index("ix_hint_report_id_text_id", "hint")
    op.create_index("ix_hint_report_id", "hint", ["report_id"])
    connection = op.get_bind()
    long = sa.text(f"SELECT id, text FROM token WHERE length(text) > {LONGEST}")
    for number, token in connection.execute(long).all():
        short = token[:HEAD] + hashlib.sha256(token.encode("utf-8", "replace")).hexdigest()
        connection.execute(sa.text("UPDATE token SET text = :short WHERE id = :id"), {"short": short, "id": number})


def downgrade() -> None:
    """Make the index as it was, on PostgreSQL without the texts; short tokens do as well."""
    op.drop_index("ix_hint_report_id", "hint")
    texts = ["text"] if op.get_bind().dialect.name == "sqlite" else []
    op.create_index("ix_hint_report_id_text_id", "hint", ["report_id", *texts, "id"])
