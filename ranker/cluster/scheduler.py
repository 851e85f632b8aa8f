"""Dask scheduler: its workers, their code and their load."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from presort.data.errors import ClusterError
from presort.ranker.cluster.worker import code, fault_of_worker

PATIENCE = 10  # seconds, for a scheduler to answer and for a first worker
CALLS_A_WORKER = 2  # one in work, and the next one there already
GONE = "The Dask scheduler at {} is gone; what was done stays, and the same command goes on from there."


@dataclass(frozen=True, eq=False)
class Scheduler:
    """A scheduler of Dask that a client speaks to."""

    client: Any
    address: str

    def check(self) -> None:
        """Block until there is a worker, and refuse workers that can't do our work.

        Raises
        ------
        ClusterError
        """
        self.wait_for_workers(PATIENCE)
        for worker, fault in sorted(self.client.run(fault_of_worker, code(), on_error="return").items()):
            if isinstance(fault, Exception):
                fault = f"can't load Presort ({type(fault).__name__}: {fault}); install the same version there"
            if fault:
                raise ClusterError(f"The worker {worker} {fault}.")

    def wait_for_workers(self, seconds: float) -> None:
        """Wait until there is a worker.

        Raises
        ------
        ClusterError
            If none comes in time, or the scheduler is gone.
        """
        try:
            self.ask(lambda: self.client.wait_for_workers(1, timeout=seconds))
        except TimeoutError as error:
            raise ClusterError(f"The Dask scheduler at {self.address} has no worker; start some.") from error

    def ask(self, question: Callable[[], Any]) -> Any:
        """Ask the scheduler something.

        Raises
        ------
        ClusterError
            If the scheduler is gone.
        TimeoutError
            If the answer doesn't come in time.
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
        """Return the number of further calls that keep all current workers busy."""
        return max(1, CALLS_A_WORKER * len(self.ask(self.client.nthreads)) - n_sent)
