"""Presort's own rankers: SVMs per report, corrected by networks (presort-1) and combined by trees (presort-2)."""
