"""Who is at the desk."""

PERSON = "editor"  # one person on this computer; nobody else can reach the server unless it is told otherwise


def current_person() -> str:
    """Give the name under which the log keeps what is done on the pages."""
    return PERSON
