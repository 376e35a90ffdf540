"""The five published systems as thin faces over the same core."""
