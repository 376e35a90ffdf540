"""An HTTP proxy that applies the settings in front of a model's API, and an upstream to try it with."""
