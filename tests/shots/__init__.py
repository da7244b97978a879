"""Pictures of every page, to be looked at: `make shots`."""
