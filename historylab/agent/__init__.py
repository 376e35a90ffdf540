"""The agent loop and its tools: plans that are really sent."""
