"""What this server counts while it runs, for whoever watches it; `presort.desk.serving.monitoring` tells it."""

from prometheus_client import Counter, Histogram

ERRORS = Counter("presort_errors", "Mistakes in Presort that a page had to show; the log has each with its number.")
SAVED = Histogram(
    "presort_saving_seconds",
    "Seconds to save and answer what a review list sent, where it sent a decision or a note.",
    buckets=(0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10),
)
