"""Run by Alembic: migrate on the connection that `presort.data.store` gives."""

from alembic import context

from presort.data.tables import Base

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=Base.metadata,
    render_as_batch=True,
    transaction_per_migration=False,
)
context.run_migrations()
