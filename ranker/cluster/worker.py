"""Code that runs on a worker to check its versions and to call the functions that are sent to it."""

import hashlib
import ipaddress
from dataclasses import dataclass
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from threadpoolctl import threadpool_limits

from presort import data, ranker
from presort.data.errors import ClusterError

NUMERICAL = ("joblib", "numpy", "pandas", "scikit-learn", "scipy")  # packages whose version may affect results


class Code(NamedTuple):
    """Versions that affect results: a digest of Presort's code, and the versions of packages."""

    digest: str
    versions: tuple[tuple[str, str], ...]


@dataclass(frozen=True, eq=False, slots=True)
class Parcel:
    """Opaque container for content sent to a worker. Without it, Dask would traverse the content's tuples and lists."""

    content: Any


class PackedArguments:
    """Arguments shared by all calls.

    The sender serialises them once. Workers forward the bytes and unpack them on first use.
    """

    def __init__(self, content: Any) -> None:
        self._packed: bytes | None = _serialise(content)
        self._content: Any = None

    def content(self) -> Any:
        """Return the unpacked content, and drop the serialised copy to save memory."""
        if self._packed is not None:
            self._content = _deserialise(self._packed)
            self._packed = None  # after `_content` is set, because another thread may be serialising this object
        return self._content

    def __getstate__(self) -> dict[str, Any]:
        packed = self._packed
        return {"_packed": _serialise(self._content) if packed is None else packed, "_content": None}


def _serialise(content: Any) -> bytes:
    from distributed.protocol.pickle import dumps

    packed: bytes = dumps(content)
    return packed


def _deserialise(packed: bytes) -> Any:
    from distributed.protocol.pickle import loads

    return loads(packed)


@cache
def code() -> Code:
    """Return the versions that affect the results of this process."""
    digest = hashlib.sha256()
    for package in (data, ranker):
        folder = Path(str(package.__file__)).parent
        for path in sorted(folder.rglob("*.py")):
            digest.update(f"{path.relative_to(folder.parent).as_posix()}\n".encode())
            digest.update(hashlib.sha256(path.read_bytes()).digest())
    return Code(digest.hexdigest(), tuple((name, version(name)) for name in NUMERICAL))


def fault_of(address: str, n_threads: int, found: Code, wanted: Code) -> str:
    """Describe what makes a worker unsuitable. Returns "" if it is suitable.

    Examples
    --------
    >>> fault_of("tls://10.0.0.2:33001", 4, code(), code())
    'has 4 threads, which would share a random generator; start it with --nthreads 1'
    """
    if not is_private(address):
        return "is neither connected by tls:// nor on this machine"
    if n_threads != 1:
        return f"has {n_threads} threads, which would share a random generator; start it with --nthreads 1"
    for (name, there), (_, here) in zip(found.versions, wanted.versions, strict=True):
        if there != here:
            return f"has {name} {there}, but this machine has {here}; install the same version there"
    if found.digest != wanted.digest:
        return "runs a different version of Presort than this machine; install the same version there"
    return ""


def fault_of_worker(wanted: Code, dask_worker: Any) -> str:
    """Run `fault_of` on a worker. Dask fills in the argument `dask_worker`."""
    return fault_of(dask_worker.address, dask_worker.state.nthreads, code(), wanted)


def call_on_worker(shared: PackedArguments, parcel: Parcel) -> Any:
    """Check this worker and call a function on it. The worker may have joined after all workers were checked."""
    from distributed import get_worker

    wanted, work, arguments = parcel.content
    worker = get_worker()
    if fault := fault_of_worker(wanted, worker):
        raise ClusterError(f"The worker {worker.address} {fault}.")
    with threadpool_limits(1):  # so that sums don't depend on the number of threads
        return work(*shared.content(), *arguments)


def is_private(address: str) -> bool:
    """Return True if nobody else on the network can read or change the traffic to an address.

    Examples
    --------
    >>> [is_private(f"{way}:1") for way in ("tls://a", "tcp://localhost", "tcp://[::1]", "tcp://a", "ucx://127.0.0.1")]
    [True, True, True, False, False]
    """
    parts = urlsplit(address)
    host = parts.hostname or ""
    try:
        is_here = ipaddress.ip_address(host).is_loopback
    except ValueError:
        is_here = host == "localhost"
    return parts.scheme == "tls" or (parts.scheme == "tcp" and is_here)
