"""Settings and logs of the service: reports and rankers, people, holidays, imports."""
