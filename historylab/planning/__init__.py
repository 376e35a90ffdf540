"""What happens to each message of a request, and why."""
