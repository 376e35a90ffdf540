"""The page Inspect: the open conversation under one set of settings, request by request."""
