"""Parallel function calls on Dask workers, which may die, join late, or run a different version of Presort."""
