"""A queue in which all waits: most tests of a page need no process that sorts beside it."""

from concurrent.futures import Future


class IdleQueue:
    """Stands in for `desk.service.sorting_again.Queue`."""

    is_learning = False

    def __init__(self, workspace):
        self.workspace = workspace
        self.demo = None
        self.n_learned = 0

    def add(self, reports):
        return Future()

    def learn_ahead(self):
        self.n_learned += 1
        return Future()

    def build_demo(self):
        self.demo = Future()
