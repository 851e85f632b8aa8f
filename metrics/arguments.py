"""Helpers for checking arguments: recognise numbers, convert to arrays, and format values for error messages."""

import reprlib
from numbers import Real
from typing import Any, TypeGuard

import numpy as np
from numpy.typing import NDArray


def is_number(value: object) -> TypeGuard[float]:
    """Return True if the value is a real number that fits into a float. Booleans don't count as numbers."""
    if not isinstance(value, Real) or isinstance(value, bool):
        return False
    try:
        float(value)
    except OverflowError:  # raised for an int or Fraction larger than any float
        return False
    return True


def array_of(name: str, rule: str, values: Any) -> NDArray[Any]:
    """Convert values to an array. For ragged lists, raises a ValueError that names the argument and states the rule."""
    try:
        return np.asarray(values)
    except ValueError as error:
        raise ValueError(f"{name} must be {rule}, got {short_repr(values)}") from error


def short_repr(values: object) -> str:
    """Return the repr of a value, abbreviated if it is long."""
    return reprlib.repr(values.tolist() if isinstance(values, np.ndarray) else values)
