"""Run a program with only the system calls that a systemd unit allows, by libseccomp instead of systemd.

Usage: python syscall_filter.py UNIT PROGRAM ARGUMENTS
"""

import ctypes
import os
import subprocess
import sys
from pathlib import Path

LIBRARY = "libseccomp.so.2"
ALLOW, REFUSE = 0x7FFF0000, 0x00050000  # an action of refusal is combined with an error number
EPERM = 1
MASKED_EQUAL = 7
WRITE, EXECUTE, SHM_EXECUTE = 2, 4, 0o100000


class Comparison(ctypes.Structure):
    """Condition on an argument of a system call."""

    _fields_ = (("arg", ctypes.c_uint), ("op", ctypes.c_int), ("a", ctypes.c_uint64), ("b", ctypes.c_uint64))


def allowed_calls(unit):
    """Return the names of the system calls that a unit allows."""
    allowed = set()
    for line in settings_of(unit, "SystemCallFilter"):
        calls = {call for word in line.removeprefix("~").split() for call in _calls_in(word)}
        allowed = allowed - calls if line.startswith("~") else allowed | calls
    return allowed | set(_calls_in("@default"))  # systemd always allows these


def settings_of(unit, key):
    """Return the values of a setting in a unit, in order."""
    lines = [line.partition("=") for line in Path(unit).read_text().splitlines() if not line.startswith("#")]
    return [value for name, _, value in lines if name == key]


def apply(unit):
    """Restrict this process and its children permanently."""
    library = ctypes.CDLL(LIBRARY)
    library.seccomp_init.restype = ctypes.c_void_p
    names = allowed_calls(unit)
    if settings_of(unit, "MemoryDenyWriteExecute") == ["yes"]:
        rules = [
            ("mmap", [Comparison(2, MASKED_EQUAL, WRITE | EXECUTE, WRITE | EXECUTE)]),
            ("mprotect", [Comparison(2, MASKED_EQUAL, EXECUTE, EXECUTE)]),
            ("pkey_mprotect", [Comparison(2, MASKED_EQUAL, EXECUTE, EXECUTE)]),
            ("shmat", [Comparison(2, MASKED_EQUAL, SHM_EXECUTE, SHM_EXECUTE)]),
        ]
        _load(library, ALLOW, REFUSE | EPERM, rules)
    # Last, because it refuses loading filters.
    _load(library, REFUSE | EPERM, ALLOW, [(name, []) for name in names])


def _load(library, default, action, rules):
    context = ctypes.c_void_p(library.seccomp_init(ctypes.c_uint32(default)))
    for name, comparisons in rules:
        number = library.seccomp_syscall_resolve_name(name.encode())
        array = (Comparison * len(comparisons))(*comparisons)
        # Negative numbers are calls of other architectures.
        if number >= 0 and library.seccomp_rule_add_array(
            context, ctypes.c_uint32(action), number, len(comparisons), array
        ):
            raise OSError(f"libseccomp refuses the rule for {name}")
    if library.seccomp_load(context):
        raise OSError("libseccomp can't load the filter")


def _calls_in(word):
    if not word.startswith("@"):
        return [word]
    command = ["systemd-analyze", "syscall-filter", word]
    shown = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    words = [line.strip() for line in shown.splitlines() if line.startswith(" ") and "#" not in line]
    return [call for one in words for call in _calls_in(one)]


if __name__ == "__main__":
    apply(sys.argv[1])
    os.execvp(sys.argv[2], sys.argv[2:])
