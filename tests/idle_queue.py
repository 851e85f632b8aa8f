"""A queue in which all but imports waits: most tests of a page need no process that sorts beside it."""

from concurrent.futures import Future

from presort.desk.jobs.background import BackgroundJobs, JobHandle


class IdleQueue(BackgroundJobs):
    """Stands in for `BackgroundJobs`, of which it has imports alone."""

    def __init__(self, workspace):
        super().__init__(workspace)
        self.n_learned = 0

    def add(self, reports):
        return Future()

    def rank_new(self):
        return Future()

    def learn_ahead(self):
        self.n_learned += 1
        return Future()

    def rank_past(self, ranker):
        return JobHandle(self.queue, self.queue.put_once("replay", {"ranker": ranker}))

    def go_on(self):
        pass

    def build_demo(self):
        self.demo = Future()
