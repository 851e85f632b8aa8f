"""Week after week, without a screen: rank, replay, and what is pending."""
