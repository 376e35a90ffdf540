"""Messages, conversations and their numpy index."""
