"""Check arguments: test for numbers, convert to arrays, and format values for error messages."""

import reprlib
from numbers import Real
from typing import Any, TypeGuard

import numpy as np
from numpy.typing import NDArray


def is_number(value: object) -> TypeGuard[float]:
    """Return whether a value is a real number that a float can hold; True and False are not."""
    if not isinstance(value, Real) or isinstance(value, bool):
        return False
    try:
        float(value)
    except OverflowError:  # a whole number or fraction beyond all floats
        return False
    return True


def array_of(name: str, rule: str, values: Any) -> NDArray[Any]:
    """Make an array for the caller to check. NumPy's own error for uneven lists would not name the argument."""
    try:
        return np.asarray(values)
    except ValueError as error:
        raise ValueError(f"{name} must be {rule}, got {shown(values)}") from error


def shown(values: object) -> str:
    """Write a value down, shortened if it is long."""
    return reprlib.repr(values.tolist() if isinstance(values, np.ndarray) else values)
