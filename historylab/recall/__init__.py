"""Recall: whether later requests still held the values they needed."""
