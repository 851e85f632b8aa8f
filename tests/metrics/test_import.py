"""Import of the library."""

import subprocess
import sys

HEAVY = ("ir_measures", "pandas", "scipy", "sklearn", "streamlit", "sqlalchemy")


def test_importing_metrics_loads_no_rarely_needed_package():
    """pandas or SciPy alone would take as long as all other imports."""
    imported = subprocess.run(
        [sys.executable, "-c", "import sys, presort.metrics; print(*sys.modules)"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout.split()
    assert "presort.metrics.tukey" in imported
    assert not set(HEAVY) & set(imported)
