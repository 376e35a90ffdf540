"""Inspect: one conversation under one set of settings, request by request."""

from historylab.ui.inspect.inspect_page import inspect_page

inspect_page("playground")
