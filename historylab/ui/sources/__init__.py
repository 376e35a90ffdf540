"""The tab Sources of Inspect."""
