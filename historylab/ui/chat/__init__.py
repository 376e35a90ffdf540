"""The page Chat: talk to a model under the settings, and see what each answer saw."""
