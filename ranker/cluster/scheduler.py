"""Connection to a Dask scheduler, with checks of its workers and their load."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from presort.data.errors import ClusterError
from presort.ranker.cluster.worker import code, fault_of_worker

PATIENCE = 10  # seconds to wait for the scheduler's response, and for the first worker
CALLS_A_WORKER = 2  # calls per worker: one runs and one is queued, so that the worker is never idle
GONE = "The Dask scheduler at {} is gone. Finished work is saved. Run the same command again to continue."


@dataclass(frozen=True, eq=False)
class Scheduler:
    """Dask scheduler and the client connected to it."""

    client: Any
    address: str

    def check(self) -> None:
        """Wait for a worker, and check that all workers are suitable.

        Raises
        ------
        ClusterError
            If no worker connects in time, or a worker is unsuitable.
        """
        self.wait_for_workers(PATIENCE)
        for worker, fault in sorted(self.client.run(fault_of_worker, code(), on_error="return").items()):
            if isinstance(fault, Exception):
                fault = f"can't load Presort ({type(fault).__name__}: {fault}); install the same version there"
            if fault:
                raise ClusterError(f"The worker {worker} {fault}.")

    def wait_for_workers(self, seconds: float) -> None:
        """Wait until a worker is connected.

        Raises
        ------
        ClusterError
            If no worker connects in time, or the scheduler is gone.
        """
        try:
            self.ask(lambda: self.client.wait_for_workers(1, timeout=seconds))
        except TimeoutError as error:
            raise ClusterError(f"The Dask scheduler at {self.address} has no workers. Start at least one.") from error

    def ask(self, question: Callable[[], Any]) -> Any:
        """Call a function that queries the scheduler.

        Raises
        ------
        ClusterError
            If the scheduler is gone.
        TimeoutError
            If the scheduler doesn't respond in time.
        """
        try:
            if self.client.status == "running":
                return question()
        except TimeoutError:
            raise
        except OSError as error:
            raise ClusterError(GONE.format(self.address)) from error
        raise ClusterError(GONE.format(self.address))

    def n_to_send(self, n_sent: int) -> int:
        """Return how many more calls to send, at least 1, to keep all current workers busy."""
        return max(1, CALLS_A_WORKER * len(self.ask(self.client.nthreads)) - n_sent)
