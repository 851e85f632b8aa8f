"""Presort's own ranker: machines, topics and authors of all reports, and a network that corrects the machines."""
