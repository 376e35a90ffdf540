"""The tab Debug of Inspect."""
