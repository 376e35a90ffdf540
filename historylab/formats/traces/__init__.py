"""Formats of tracing and logging tools: requests with their answers, as they were observed.

The messages inside a trace are in the shape of any API or framework. The format that reads such a structure is found
once per file, and kept on the report.
"""
