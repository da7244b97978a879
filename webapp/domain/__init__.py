"""The rules of the desk: pure, no IO, no clock."""
