"""Hooks for the agent frameworks people use: each trims what a model is sent, and leaves what the framework keeps.

A module a framework, with one function: `history_processor(settings)` gives what that framework calls before each
request, so that an app needs two lines and an exported file nothing else.

    from historylab.frameworks.pydantic_ai import history_processor
    agent = Agent(…, capabilities=[history_processor(settings)])

A hook hands the whole conversation to one Trimmer and gives its answer back in the framework's own messages: the
caller's objects for what is kept, new ones for a summary and for what is shortened. So what is sent is what `replay`
shows. A framework's messages are converted once each (`Converted`), as that takes longer than trimming.

A module imports its framework; nothing else in the package does.
"""
