"""Function calls on Dask workers, with recovery from lost workers."""

from collections.abc import Callable, Iterable
from contextlib import suppress
from queue import Empty, Queue
from typing import Any

from presort.data.errors import ClusterError
from presort.ranker.cluster.scheduler import Scheduler
from presort.ranker.cluster.worker import PackedArguments, Parcel, call_on_worker, code

RESTART = 120  # seconds to wait for a new worker after the last worker died
LOOK_EVERY = 5.0  # seconds without a result after which workers are checked
MOST_LOSSES = 5  # maximum number of times that the shared arguments may be lost before the next call finishes
DEADLY = "The workers of {} die repeatedly in the same call. Give them more memory."


class RemoteCalls:
    """Calls of one function that were sent to workers, and their results."""

    def __init__(self, scheduler: Scheduler, work: Callable[..., Any], shared: tuple[Any, ...]) -> None:
        self.scheduler, self.work, self.shared = scheduler, work, shared
        self.there = self._send_shared()
        self.sent: dict[str, tuple[Any, Any, tuple[Any, ...]]] = {}  # by key: future, shared arguments and call
        self.ready: Queue[Any] = Queue()
        self.n_losses = 0

    @property
    def n_sent(self) -> int:
        """Number of calls that have no result yet."""
        return len(self.sent)

    def send(self, calls: Iterable[tuple[Any, ...]]) -> None:
        """Submit calls to the scheduler."""
        for call in calls:
            parcel = Parcel((code(), self.work, call))
            future = self.scheduler.client.submit(call_on_worker, self.there, parcel, pure=False)
            self.sent[future.key] = (future, self.there, call)
            future.add_done_callback(self.ready.put)

    def next_result(self) -> Any:
        """Wait until the next call has finished, and return its result."""
        from distributed import CancelledError

        while True:
            future = self._next_future()
            _, there, call = self.sent.pop(future.key)
            try:
                result = self._result(future)
            except CancelledError:  # the last worker that held the shared arguments is gone
                if there is self.there:  # otherwise, the arguments were already sent again when an earlier call failed
                    self._replace_lost()
                self.send([call])
            else:
                self.n_losses = 0
                return result

    def cancel(self) -> None:
        """Cancel the calls that haven't started yet."""
        if self.sent and self.scheduler.client.status == "running":
            self.scheduler.client.cancel([future for future, _, _ in self.sent.values()])

    def _next_future(self) -> Any:
        while True:
            try:
                return self.ready.get(timeout=LOOK_EVERY)
            except Empty:
                self.scheduler.wait_for_workers(RESTART)

    def _result(self, future: Any) -> Any:
        from distributed import KilledWorker

        while True:
            try:
                return future.result(timeout=LOOK_EVERY)
            except TimeoutError:  # the result was lost with its worker, so Dask repeats the call
                if future.status == "error":
                    raise
                self.scheduler.wait_for_workers(RESTART)
            except KilledWorker as error:
                raise ClusterError(DEADLY.format(self.scheduler.address)) from error

    def _replace_lost(self) -> None:
        """Send the shared arguments again. Raises ClusterError if they were lost too often."""
        self.n_losses += 1
        if self.n_losses > MOST_LOSSES:
            raise ClusterError(DEADLY.format(self.scheduler.address))
        self.there = self._send_shared()

    def _send_shared(self) -> Any:
        """Send the shared arguments to every worker."""
        shared = PackedArguments(self.shared)
        for _ in range(MOST_LOSSES):
            self.scheduler.wait_for_workers(RESTART)
            with suppress(OSError):  # a worker died while it received the arguments
                [there] = self.scheduler.client.scatter([shared], broadcast=True, hash=False)
                return there
        raise ClusterError(DEADLY.format(self.scheduler.address))
