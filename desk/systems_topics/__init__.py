"""The *Systems and topics* page."""
