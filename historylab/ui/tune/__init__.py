"""The page Improve."""
