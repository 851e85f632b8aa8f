"""Connection to the workers of a Dask scheduler."""

from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from typing import Any, TypeVar
from urllib.parse import urlsplit

from presort.data.errors import ClusterError
from presort.ranker.cluster.remote_calls import RemoteCalls
from presort.ranker.cluster.scheduler import PATIENCE, Scheduler
from presort.ranker.cluster.worker import is_private
from presort.ranker.parallel import use_workers

Result = TypeVar("Result")

INSTALL = "--dask needs Dask, which is not installed. Run pip install 'presort[dask]'."
KEYS = (
    "{} needs TLS keys. Set distributed.comm.tls.ca-file, tls.client.cert and tls.client.key in Dask's configuration."
)


@contextmanager
def use_dask(address: str) -> Iterator[None]:
    """Make `run_in_processes` send its calls to the workers of a scheduler.

    Parameters
    ----------
    address : str
        Address of the scheduler. It is ``tls://HOST:PORT``, with keys and certificates from Dask's configuration, or
        ``tcp://HOST:PORT`` if the scheduler is on this machine.

    Raises
    ------
    ClusterError
        If the address is invalid, Dask isn't installed, the scheduler doesn't respond, or a worker is unsuitable.
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
        reason = f"No Dask scheduler answers at {address}. Start one, or check the address and the keys."
        raise ClusterError(reason) from error
    with client:
        scheduler = Scheduler(client, address)
        scheduler.check()
        with use_workers(DaskWorkers(scheduler)):
            yield


def check_address(address: str) -> None:
    """Check that an address is valid, and that nobody else can read or change the traffic to it.

    Raises
    ------
    ClusterError
        If the address is invalid, or if it belongs to another machine and the connection would not be encrypted.

    Examples
    --------
    >>> check_address("tls://10.0.0.2:8786")
    >>> check_address("tcp://127.0.0.1:8786")
    >>> check_address("tcp://10.0.0.2:8786")
    Traceback (most recent call last):
    presort.data.errors.ClusterError: tcp://10.0.0.2:8786 is neither encrypted nor on this machine. Use tls://.
    """
    try:
        parts = urlsplit(address)
        is_whole = parts.scheme in ("tls", "tcp") and parts.port is not None and bool(parts.hostname)
    except ValueError:  # the port is invalid
        is_whole = False
    if not is_whole:
        raise ClusterError(f"{address} is not the address of a Dask scheduler. Use tls://HOST:PORT.")
    if not is_private(address):
        raise ClusterError(f"{address} is neither encrypted nor on this machine. Use tls://.")


@dataclass(frozen=True, eq=False)
class DaskWorkers:
    """Workers of a Dask scheduler."""

    scheduler: Scheduler

    def run(
        self, work: Callable[..., Result], shared: tuple[Any, ...], calls: Iterable[tuple[Any, ...]]
    ) -> Generator[Result]:
        """Run calls in the same way as `presort.ranker.parallel.run_in_processes`.

        If a worker dies, its running calls are repeated on other workers. Each result is yielded only once.

        Raises
        ------
        ClusterError
            If the scheduler is gone, no worker remains, or the same call has killed several workers.
        """
        left, remote = iter(calls), RemoteCalls(self.scheduler, work, shared)
        try:
            remote.send(islice(left, self.scheduler.n_to_send(0)))
            while remote.n_sent:
                result = remote.next_result()
                remote.send(islice(left, self.scheduler.n_to_send(remote.n_sent)))
                yield result
        finally:
            remote.cancel()
