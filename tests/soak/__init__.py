"""The long races, far beyond what a test run has time for. `make soak`; RESULTS.md has the last."""

import warnings

# The PostgreSQL wheel asks for a runtime folder, which a container has not.
warnings.filterwarnings("ignore", message="XDG_RUNTIME_DIR is not set")
