"""A queue in which all waits: most tests of a page need no process that sorts beside it."""

from concurrent.futures import Future


class IdleQueue:
    """Stands in for `desk.service.sorting_again.Queue`."""

    def __init__(self, workspace):
        self.workspace = workspace
        self.demo = None

    def add(self, reports):
        return Future()

    def learn_ahead(self):
        return Future()

    def build_demo(self):
        self.demo = Future()
