"""The cost of requests under a provider's prompt cache."""
