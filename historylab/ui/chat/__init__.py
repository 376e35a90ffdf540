"""The page Chat: talk to a model under the settings, and see what each answer saw.

It runs the agent loop, or mycoder's where its system is chosen, and plans nothing itself. The events of the loop are
taken in a thread; the session keeps the conversation, what each answer saw, and under which settings. The panel
replays the chat under those settings with the summaries that were written, and asks no model. A model on a server is
the environment's, or one that was typed.
"""
