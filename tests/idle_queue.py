"""A queue in which all but imports waits: most tests of a page need no process that sorts beside it."""

from concurrent.futures import Future

from desk.service.queue import Queue


class IdleQueue(Queue):
    """Stands in for `Queue`, of which it has imports alone."""

    is_learning = False

    def __init__(self, workspace):
        super().__init__(workspace)
        self.n_learned = 0

    def add(self, reports):
        return Future()

    def learn_ahead(self):
        self.n_learned += 1
        return Future()

    def build_demo(self):
        self.demo = Future()
