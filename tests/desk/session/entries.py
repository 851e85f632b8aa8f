"""Ids of entries that a list sends, and of papers by their place in it."""

from uuid import uuid4


def entry_id():
    return str(uuid4())


def paper_at(context, place):
    return context.papers[context.order[place - 1] - 1].paper_id
