"""Trying many settings over many conversations, and recommending some."""
