"""The application around the rankers and measures: workflow, command line and pages."""

import gc
import os

# Before numpy is loaded. With tables as small as ours, two threads only block each other. Training uses processes.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
# Modules make many objects, and all of these stay: to look for garbage seldom spares an eighth of a server's start.
gc.set_threshold(5_000)
