"""The bar above a conversation: open, share, export."""
