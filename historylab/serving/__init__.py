"""What the servers of this package have in common: the address they listen on, and whom they answer."""
