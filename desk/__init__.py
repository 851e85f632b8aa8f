"""The application built on the rankers and measures: use cases, command line, web pages and background jobs."""

import gc
import os

# Must be set before numpy is loaded. Our matrices are small, so BLAS threads only block each other; training uses
# processes instead.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
# Imports create many objects that are never freed. Collecting less often shortens the start of a server by an eighth.
gc.set_threshold(5_000)
