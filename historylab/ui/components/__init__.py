"""Parts of a page."""
