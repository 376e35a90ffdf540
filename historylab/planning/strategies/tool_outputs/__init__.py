"""Tool-output stages shorten or clear the results of tools."""
