"""Settings and logs of the service: rankers, people and their roles, holidays, imports, backups and the weekly job."""
