"""`python -m webapp` is the same as `undo-desk`."""

from webapp.cli import main

if __name__ == "__main__":
    main()
