"""The page Conversations."""
