"""Layouts arrange the messages that are sent into the request."""
