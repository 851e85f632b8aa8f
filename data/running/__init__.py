"""How the service is run: reports and rankers, people, holidays, imports."""
