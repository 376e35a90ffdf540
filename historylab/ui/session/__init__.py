"""Session state of one browser tab."""
