"""Read-only HTTP API of a service. It returns JSON to clients with a bearer token."""
