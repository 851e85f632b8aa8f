"""The weekly job, `presort weekly`: automated import, ranking, mail and training of a service."""
