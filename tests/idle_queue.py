"""Job queue in which only imports run. Most tests of a page don't need a process that ranks."""

from concurrent.futures import Future

from presort.desk.jobs.background import BackgroundJobs, JobHandle


class IdleQueue(BackgroundJobs):
    """Replacement for `BackgroundJobs` that only adds imports."""

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
