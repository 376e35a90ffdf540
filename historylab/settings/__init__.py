"""Settings: their definitions, their sources, and which source wins.

`Settings` is the one pydantic model. `resolve_settings` decides per field and by presence: environment > you > URL >
template > recorded > default. The provenance of every field keeps the values that lost and those that were refused. A
`HISTORYLAB_` name beats AgentDock's name for the same field (except in AgentDock's facade). Under a *strict*
environment one valid value shuts out the URL and the choices on screen as a whole. Exports write every field, so that
a file means the same under any template. (A `.env` leaves out, and names, the rare text that a shell and dotenv would
read differently.)

**Recorded** is what the open file says (`conversation.recorded`), made into settings by `costs`: its model and
window, overhead and token factor fitted to the usage it reports (or its tools counted), and a budget, only where the
default would leave a request almost empty. It decides nothing else, and nothing at all for our samples, for generated
conversations and behind AgentDock's facade, or where several files are measured under one set of settings. A strict
environment leaves it be: what the environment sets comes first anyway.

A **preset** (`systems/presets/`, a file per system) is settings, fields under the system's own names and units, and a
rule in half a sentence. Choosing one sets its values as the *user's* choice. The model, the summarizer, the fixed
overhead and the token factor are never part of a preset. `system=` in a link names one, which supplies what the link
leaves out.

A **link** that Share gives names the settings that differ. Its version, `v=2`, fixes the defaults of all others, so
that it means the same under any template; a new default needs a new version. In version 1, and in links without one,
what is left out is the server's to decide.

**What must stay is a setting.** `pin` and its options are fields like any other, except in links: a text that a
person wrote may be private, so Share leaves it out and says so, and a link that brings one is refused by name. A
template may set it, as it may set instructions; the open file and presets never do. A pin is matched in `planning` by
a pure function of one message and its place, with plain finds in linear time.

**Model calls need consent.** A member registered with `asks=` is refused unless the environment chose it, or the user
agreed to that model on that server; a link or a template never can. The environment's consent covers the model that
the environment, the default, the server's template or the user named. Another model that a link, an uploaded template
or the open file names, or instructions that a link or template adds, need consent of their own. Questions are
proposed by a model for one click on its name, each time.
"""
