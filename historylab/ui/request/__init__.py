"""One request: its messages, chart, costs and explanations."""
