"""The signing key of a desk on loopback: made once, kept in the instance folder, mode 0600."""

import os
import secrets
import tempfile
from pathlib import Path

from webapp.paths import INSTANCE


def read_or_make(folder: Path = INSTANCE) -> str:
    """The key in `folder`, made when there is none.

    Processes that start at the same moment agree on one: the file appears whole, by a link that
    only the first can make.
    """
    file = folder / "secret.key"
    if not file.exists():
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        descriptor, draft = tempfile.mkstemp(dir=folder, prefix=".secret.")  # mode 0600
        try:
            os.write(descriptor, secrets.token_urlsafe(32).encode())
            os.fsync(descriptor)
            os.link(draft, file)
        except FileExistsError:
            pass  # another process was first; its key counts
        finally:
            os.close(descriptor)
            Path(draft).unlink()
    return file.read_text().strip()
