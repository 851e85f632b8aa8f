"""What pages share: choices, questions, tables."""
