"""What requests cost under a provider's prompt cache."""
