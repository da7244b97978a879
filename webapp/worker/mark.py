"""What a worker remembers of the database between its lives: a small file beside the data."""

import json
import logging
import os
import tempfile
from pathlib import Path

from webapp.services.put_back import Mark
from webapp.store import lineage
from webapp.store.engine import Database
from webapp.store.lineage import Newest

log = logging.getLogger(__name__)


class MarkFile:
    """`mark-NAME.json` in `folder`, one for each database; mode 0600; whole or not at all."""

    def __init__(self, folder: Path, db: Database) -> None:
        self.path = folder / f"mark-{lineage.name(db)}.json"
        self._written: Mark | None = None

    def read(self) -> Mark | None:
        """None where there is none, or what is there can't be read."""
        try:
            said = json.loads(self.path.read_text())
            newest = said["newest"] and Newest(int(said["newest"][0]), int(said["newest"][1]))
            return Mark(str(said["identity"]), int(said["life"]), newest)
        except FileNotFoundError:
            return None
        except (OSError, ValueError, TypeError, LookupError) as trouble:
            log.warning("%s can't be read: %s", self.path, trouble)
            return None

    def write(self, mark: Mark) -> None:
        """Replace it. A folder that can't be written is said, and stops nobody."""
        if mark == self._written:
            return
        newest = mark.newest and (mark.newest.event, mark.newest.at)
        said = {"identity": mark.identity, "life": mark.life, "newest": newest}
        try:
            self._replace(json.dumps(said).encode())
            self._written = mark
        except OSError as trouble:
            log.warning("%s can't be written: %s", self.path, trouble)

    def _replace(self, content: bytes) -> None:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        descriptor, draft = tempfile.mkstemp(dir=self.path.parent, prefix=".mark.")  # mode 0600
        try:
            os.write(descriptor, content)
            os.fsync(descriptor)
            Path(draft).replace(self.path)
        except OSError:
            Path(draft).unlink(missing_ok=True)
            raise
        finally:
            os.close(descriptor)
