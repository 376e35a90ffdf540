"""The HTML report and the decisions as CSV."""
