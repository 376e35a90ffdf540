"""Shared reading and writing of messages: parts, calls, usage, branches, and requests put together."""
