"""The five published systems, each with its published names over the same core."""
