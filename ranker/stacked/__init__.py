"""Our own rankers: SVMs per report, corrected by networks (presort-1) and weighed by trees (presort-2)."""
