"""Cache models: how a provider remembers the beginning of a request, a file each."""
