"""Numbers of a summary as people read them; a dash where there is none."""

import math


def share_text(share: float) -> str:
    """Write a share.

    Examples
    --------
    >>> share_text(0.1297), share_text(0.0002), share_text(0), share_text(math.nan)
    ('13.0 %', 'under 0.1 %', '0.0 %', '–')
    """  # noqa: RUF002
    if math.isnan(share):
        return "–"  # noqa: RUF001
    return "under 0.1 %" if 0 < share < 0.0005 else f"{100 * share:.1f} %"


def points_text(change: float) -> str:
    """Write a difference of shares in percentage points.

    Examples
    --------
    >>> points_text(0.0123), points_text(-0.25), points_text(-0.0001), points_text(math.nan)
    ('+1.2', '−25.0', '0.0', '–')
    """  # noqa: RUF002
    if math.isnan(change):
        return "–"  # noqa: RUF001
    return "0.0" if abs(change) < 0.0005 else f"{100 * change:+.1f}".replace("-", "−")  # noqa: RUF001


def number_text(value: float) -> str:
    """Write a plain number.

    Examples
    --------
    >>> number_text(0.65), number_text(math.nan)
    ('0.650', '–')
    """  # noqa: RUF002
    return "–" if math.isnan(value) else f"{value:.3f}"  # noqa: RUF001


def distance_text(power: float) -> str:
    """Write a distance from 100 %, given as its power of ten in percent.

    Examples
    --------
    >>> distance_text(math.log10(0.81)), distance_text(-411.5), distance_text(-math.inf), distance_text(math.nan)
    ('0.81 %', '3.2e-412 %', '0 %', '–')
    """  # noqa: RUF002
    if math.isnan(power):
        return "–"  # noqa: RUF001
    if power == -math.inf:
        return "0 %"
    if power >= -2:
        return f"{10**power:.2f} %"
    whole = math.floor(power)
    digits = f"{10 ** (power - whole):.1f}"
    return f"1.0e{whole + 1} %" if digits == "10.0" else f"{digits}e{whole} %"
