"""Alembic environment, which runs migrations on the connection provided by `presort.data.store`."""

from alembic import context

from presort.data.tables import Base

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=Base.metadata,
    render_as_batch=True,
    transaction_per_migration=False,
)
context.run_migrations()
