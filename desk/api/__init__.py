"""Read-only HTTP API of the service. It returns JSON to clients that send a bearer token."""
