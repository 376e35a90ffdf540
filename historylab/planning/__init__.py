"""The core: from a conversation and settings to a plan for every request."""
