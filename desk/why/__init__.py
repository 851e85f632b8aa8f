"""Why a paper stands where it stands."""
