"""Ids of the entries that a list sends, and ids of papers by place."""

from uuid import uuid4


def entry_id():
    return str(uuid4())


def paper_at(context, place):
    return context.papers[context.order[place - 1] - 1].paper_id
