"""Formats of tracing and logging tools: requests with their answers, as they were observed."""
