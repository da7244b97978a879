"""The figures: each measured beside a bare loop of the same run. `make bench`.

Reading order: `__main__`, `databases`, `plant`, then one file a part: `lateness`, `load`,
`throughput`, `single`, `screens`, `page`. `bare` is what they are held against, `tally` how a
figure is shown.
"""

import warnings

# The PostgreSQL wheel asks for a runtime folder, which a container has not.
warnings.filterwarnings("ignore", message="XDG_RUNTIME_DIR is not set")
