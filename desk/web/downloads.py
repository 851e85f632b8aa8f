"""Keep generated downloads until the browser has requested them.

Streamlit deletes a file that no window refers to once two scripts have ended, in any window. It doesn't record which
window a file belongs to if the file is generated at the click on a download button. If other windows are open, the file
could therefore be deleted before the browser requested it.
"""

import math
import time

from streamlit.runtime import media_file_manager
from streamlit.runtime.media_file_manager import MediaFileMetadata
from streamlit.runtime.media_file_storage import MediaFileKind

KEPT = 60.0  # seconds for which a file is kept after Streamlit would have deleted it


class KeptFile(MediaFileMetadata):
    """State of a generated file that is deleted `KEPT` seconds after it was first marked for deletion."""

    def __init__(self, kind: MediaFileKind = MediaFileKind.MEDIA) -> None:
        super().__init__(kind)
        self._marked_at = math.inf

    @property
    def is_marked_for_delete(self) -> bool:
        """Return True if the file can be deleted now."""
        return time.monotonic() - self._marked_at > KEPT

    def mark_for_delete(self) -> None:
        """Mark the file for deletion. Marking it again doesn't keep it longer."""
        self._marked_at = min(self._marked_at, time.monotonic())


def keep_downloads() -> None:
    """Make this process keep generated downloads."""
    media_file_manager.MediaFileMetadata = KeptFile  # type: ignore[misc]
