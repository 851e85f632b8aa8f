"""The page *Systems and topics*."""
