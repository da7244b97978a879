"""The exhaustive model of the arrows: `make model`."""
