"""The application around the rankers and measures: workflow, command line and pages."""

import os

# Before numpy is loaded: of tables as small as ours, two threads only wait for each other. Learning has processes.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
