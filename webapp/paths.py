"""Where files lie: beside the package in a checkout, inside it in a wheel; data where it runs."""

from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent


def _shipped(name: str) -> Path:
    """The folder `name` of this copy of the program: the wheel's own, else the checkout's."""
    inside = _PACKAGE / "_shipped" / name
    return inside if inside.is_dir() else _PACKAGE.parent / name


TEMPLATES = _shipped("templates")
STATIC = _shipped("static")
LOCALES = _PACKAGE / "locales"

INSTANCE = Path("instance")
"""Relative on purpose: data belongs to the working folder of whoever starts the program."""
