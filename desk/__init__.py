"""The application built on the rankers and measures: use cases, command line, web pages and background jobs."""

import gc
import os

# Must be set before numpy and scikit-learn are loaded. Our matrices and trees are small, so threads would mostly wait
# for each other: on busy processors, training trees takes three times as long with two threads. Training uses several
# processes instead.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ.setdefault("OMP_NUM_THREADS", "1")
# Imports create many objects that are never freed. Running the garbage collector less often shortens the server's start
# by an eighth.
gc.set_threshold(5_000)
