"""Presort's own rankers: one SVM per report, corrected by networks (presort-1) and combined by trees (presort-2)."""
