"""Work on the workers of a Dask cluster, which may die, come late or run other code."""
