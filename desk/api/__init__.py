"""Read API of a service: JSON over HTTP for clients with a bearer token."""
