"""Formats of model providers' APIs: messages as a request or a response holds them."""
