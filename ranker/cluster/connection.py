"""Connection to the workers of a Dask scheduler."""

from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from typing import Any, TypeVar
from urllib.parse import urlsplit

from presort.data.errors import ClusterError
from presort.ranker.cluster.errand import Errand
from presort.ranker.cluster.scheduler import PATIENCE, Scheduler
from presort.ranker.cluster.worker import is_private
from presort.ranker.parallel import sending_to

Result = TypeVar("Result")

INSTALL = "--dask needs Dask, which is not installed: pip install 'presort[dask]'."
KEYS = "{} needs keys: set distributed.comm.tls.ca-file, tls.client.cert and tls.client.key in Dask's configuration."


@contextmanager
def on_dask(address: str) -> Iterator[None]:
    """Have `in_processes` send its calls to the workers of a scheduler.

    Parameters
    ----------
    address : str
        ``tls://HOST:PORT``, with what Dask's own configuration says of keys and certificates; ``tcp://HOST:PORT`` on
        this machine alone.

    Raises
    ------
    ClusterError
        If the address is not one of these, Dask is missing, nobody answers, or a worker can't do our work.
    """
    check_address(address)
    try:
        from dask.distributed import Client, Security
    except ImportError as error:
        raise ClusterError(INSTALL) from error
    is_safe = urlsplit(address).scheme == "tls"
    security = Security(require_encryption=True) if is_safe else None
    if security is not None and not all(security.get_tls_config_for_role("client")[key] for key in ("ca_file", "cert")):
        raise ClusterError(KEYS.format(address))
    try:
        client = Client(address, timeout=PATIENCE, security=security, set_as_default=False)
    except OSError as error:
        raise ClusterError(f"No Dask scheduler answers at {address}; start one, or check address and keys.") from error
    with client:
        scheduler = Scheduler(client, address)
        scheduler.check()
        with sending_to(DaskWorkers(scheduler)):
            yield


def check_address(address: str) -> None:
    """Refuse an address that isn't Dask's, or whose traffic others could read and change.

    Raises
    ------
    ClusterError

    Examples
    --------
    >>> check_address("tls://10.0.0.2:8786")
    >>> check_address("tcp://127.0.0.1:8786")
    >>> check_address("tcp://10.0.0.2:8786")
    Traceback (most recent call last):
    presort.data.errors.ClusterError: tcp://10.0.0.2:8786 is neither encrypted nor on this machine; use tls://.
    """
    try:
        parts = urlsplit(address)
        is_whole = parts.scheme in ("tls", "tcp") and parts.port is not None and bool(parts.hostname)
    except ValueError:  # a port that is none
        is_whole = False
    if not is_whole:
        raise ClusterError(f"{address} is no address of a Dask scheduler; write tls://HOST:PORT.")
    if not is_private(address):
        raise ClusterError(f"{address} is neither encrypted nor on this machine; use tls://.")


@dataclass(frozen=True, eq=False)
class DaskWorkers:
    """The workers of a scheduler."""

    scheduler: Scheduler

    def run(
        self, work: Callable[..., Result], shared: tuple[Any, ...], calls: Iterable[tuple[Any, ...]]
    ) -> Generator[Result]:
        """Do what `presort.ranker.parallel.in_processes` does.

        Other workers repeat the running calls of a worker that died, so each result comes once.

        Raises
        ------
        ClusterError
            If the scheduler is gone, no worker is left, or a call has ended worker after worker.
        """
        left, errand = iter(calls), Errand(self.scheduler, work, shared)
        try:
            errand.send(islice(left, self.scheduler.n_to_send(0)))
            while errand.n_sent:
                result = errand.next_result()
                errand.send(islice(left, self.scheduler.n_to_send(errand.n_sent)))
                yield result
        finally:
            errand.cancel()
