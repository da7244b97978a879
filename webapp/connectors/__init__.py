"""The outside world: one file a provider, all behind `base.Connector`."""
