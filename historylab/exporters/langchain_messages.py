"""Code shared by the two LangChain agent exporters: trims a list of LangChain messages with HistoryLab."""

IMPORTS = "from langchain_core.messages import convert_to_messages, convert_to_openai_messages"
TO_SEND = '''
def to_send(messages):
    """The messages of the next request: your own, and new ones for what is summarised, shortened or rewritten."""
    given = as_records(messages)
    return as_messages(trimmer.trim(given), given)


def as_records(messages):
    """Chat messages. Each of yours is converted once, as that takes longer than trimming."""
    return [known.get(id(message)) or remembered(message) for message in messages]


def as_messages(records, given):
    own = set(map(id, given))
    return [record["given"] if id(record) in own else made(record) for record in records]


# The newest records, by the ids of the messages, which they hold. After changing one in place clear it, too.
known = {}


def remembered(message):
    if len(known) >= 50_000:
        known.clear()
    return known.setdefault(id(message), {**converted(message), "given": message})


def converted(message):
    """A chat message; of a provider's own blocks, texts and media are read."""
    if isinstance(message.content, str):
        return convert_to_openai_messages(message)
    parts = [part for block in message.content if (part := as_part(block))]
    return {**convert_to_openai_messages(message.model_copy(update={"content": ""})), "content": parts}


def as_part(block):
    block = {"type": "text", "text": block} if isinstance(block, str) else block
    kind = block.get("type", "text").removeprefix("input_").removesuffix("_url")
    if kind in ("image", "audio", "video", "file", "document", "media"):
        return {"type": kind if kind in ("image", "audio") else "file", "block": block}
    text = block.get(kind if kind in ("thinking", "reasoning") else "text")
    return {"type": "text", "text": text} if isinstance(text, str) else None


def made(record):
    """A message in the record's role; one that was only shortened keeps the rest of yours."""
    content, given = record.get("content") or "", record.get("given")
    if not isinstance(content, str):
        content = [part.get("block", part) for part in content]
    fields = {name: value for name, value in record.items() if name != "given"}
    [message] = convert_to_messages([{**fields, "content": content}])
    same = given is not None and given.type == message.type
    return given.model_copy(update={"content": content}) if same else message
'''
