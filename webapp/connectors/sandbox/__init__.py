"""A provider for a newcomer without accounts: it keeps a ledger of effects and makes none."""
