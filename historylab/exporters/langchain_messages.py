"""Code shared by the two LangChain agent exporters: trims a list of LangChain messages with HistoryLab."""

IMPORTS = "from langchain_core.messages import SystemMessage, convert_to_openai_messages"
TO_SEND = '''
def to_send(messages):
    """The messages of the next request: your own, and new ones for a summary or a result that was shortened."""
    given = [{**convert_to_openai_messages(message), "given": message} for message in messages]
    own = {id(message) for message in given}
    return [message["given"] if id(message) in own else made(message) for message in trim(given, settings)]


def made(message):
    if "given" not in message:
        return SystemMessage(message["content"])
    return message["given"].model_copy(update={"content": message["content"]})
'''
