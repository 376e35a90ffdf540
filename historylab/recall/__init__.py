"""What later requests needed, and whether it was still held."""
