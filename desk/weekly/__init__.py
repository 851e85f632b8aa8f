"""The weekly job, `presort weekly`, which automates a service's import, ranking, mail and training."""
