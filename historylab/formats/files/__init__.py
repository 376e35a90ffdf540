"""Files as they come: bytes, archives, databases and tables, text and JSON, a large one in pieces."""
