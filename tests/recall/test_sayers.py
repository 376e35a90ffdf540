"""The sayers of what is needed: a person, a tool, the assistant, a program in the user's name; who can say it again."""

from __future__ import annotations

import json

import pytest

from historylab import Conversation, Message, Settings, ToolCall, needs, propose_questions, replay, retention
from historylab.recall.references import Need
from historylab.recall.sayers import REJECTED

CUT = Settings(policy="lastN", length=1, pruner="off", preserve_system_messages=False, **{"pin.agent_context": False})
LAST = [Message("user", "And now?"), Message("assistant", "Go on."), Message("user", "Go on.")]


def call(tool: str, number: int = 0, **arguments: str) -> Message:
    return Message("assistant", tool_calls=(ToolCall(f"{tool}-{number}", tool, json.dumps(arguments)),))


def result(tool: str, text: str, number: int = 0) -> Message:
    return Message("tool", text, tool_call_id=f"{tool}-{number}")


def needed(*said: Message, value: str = "QX-55", **metadata: object) -> Need:
    chat = Conversation([Message("user", "Begin."), *said, *LAST, call("pay", code=value)], metadata=metadata)
    found = needs(chat)[-1]
    loss = retention(replay(chat, CUT)).losses[-1]
    assert (found.value, loss.gone_for_good) == (value, found.again == "never")
    return found


def test_a_need_says_what_is_needed_where_by_whom_it_was_said_and_who_can_say_it_again():
    found = needed(Message("user", "My code is QX-55."), Message("assistant", "QX-55, noted."))
    assert (found.value, found.kind, found.said, found.needed_at) == ("QX-55", "reference", (1, 2), 6)
    assert (found.by, found.again) == ("person", "never")


@pytest.mark.parametrize(
    ("by", "again", "said"),
    [
        ("person", "never", [Message("user", "It is QX-55.")]),
        ("injected", "fetchable", [Message("user", "<environment_context><cwd>QX-55</cwd></environment_context>")]),
        ("injected", "fetchable", [Message("user", "Go.\n<system-reminder>QX-55</system-reminder>")]),
        ("person", "never", [Message("user", "QX-55!\n<system-reminder>Be brief.</system-reminder>")]),
        ("person", "never", [Message("user", "<command-name>/code</command-name><command-args>QX-55</command-args>")]),
        ("injected", "fetchable", [Message("user", "QX-55", metadata={"injected": True})]),
        ("assistant", "assistant", [Message("user", "We had QX-55.", metadata={"compact_summary": True})]),
        ("assistant", "assistant", [Message("assistant", "I call it QX-55."), Message("user", "QX-55 it is.")]),
        ("system", "never", [Message("system", "The code is QX-55.")]),
        ("tool", "fetchable", [call("Bash", command="bd show lamp"), result("Bash", "lamp: QX-55")]),
        ("tool", "fetchable", [call("run_tests"), result("run_tests", "QX-55 failed")]),
        ("tool", "fetchable", [call("Edit", file_path="a.py", old="x"), result("Edit", "9 code = QX-55")]),
        ("tool", "never", [call("book", to="Oslo"), result("book", "Booked: QX-55")]),
        ("tool", "never", [call("Bash", command="bd create lamp"), result("Bash", "Created QX-55")]),
        ("injected", "fetchable", [call("Read", p="a"), result("Read", "1\n<system-reminder>QX-55</system-reminder>")]),
        ("person", "never", [call("AskUserQuestion", q="Code?"), result("AskUserQuestion", "QX-55")]),
        (
            "person",
            "never",
            [call("Read", p="a"), result("Read", f"{REJECTED} The user said:\nQX-55")],
        ),
        ("person", "fetchable", [Message("user", "QX-55?"), call("list_codes"), result("list_codes", "QX-55, QX-56")]),
    ],
)
def test_who_said_it_first_and_whether_asking_again_would_tell(by, again, said):
    found = needed(*said)
    assert (found.by, found.again) == (by, again)


def test_the_path_of_a_file_can_be_listed_where_tools_take_paths():
    said = Message("user", "See src/lamps.py.")
    found = needed(said, call("Edit", file_path="src/lamps.py", old="x"), result("Edit", "Done."), value="src/lamps.py")
    assert (found.by, found.again) == ("person", "fetchable")
    assert needed(said, call("mail", to="Mara"), result("mail", "Sent."), value="src/lamps.py").again == "never"


def test_what_the_assistant_wrote_into_a_file_can_be_read_there_and_a_path_of_its_own_be_listed():
    written = call("Write", file_path="src/lamps.py", content="CODE = 'QX-55'")
    assert needed(written, value="QX-55").again == "fetchable"
    assert needed(written, value="src/lamps.py").again == "fetchable"
    assert needed(call("note", text="QX-55"), value="QX-55").again == "assistant"


def test_what_a_person_said_and_a_program_says_as_well_is_not_gone_for_good():
    found = needed(Message("user", "QX-55?"), Message("user", "<bash-stdout>QX-55</bash-stdout>"))
    assert (found.by, found.again) == ("person", "fetchable")


def test_the_task_of_a_sub_agent_is_a_prompt_that_no_person_wrote_and_nobody_says_again():
    found = needed(Message("user", "Look at QX-55."), sidechain=True)
    assert (found.by, found.again) == ("injected", "never")


def test_the_message_that_a_loss_names_is_one_in_which_that_speaker_says_it():
    said = [Message("user", "Code QX-55."), Message("assistant", "QX-55, noted."), Message("user", "Yes, QX-55.")]
    chat = Conversation([*said, Message("assistant", "I pay QX-55 soon."), *LAST, call("pay", code="QX-55")])
    loss = retention(replay(chat, CUT)).losses[-1]
    assert (loss.severity, loss.message) == ("person", 2)


def test_a_marked_message_with_a_reminder_in_it_is_still_the_persons():
    marked = Message("user", "Always QX-55.\n<system-reminder>Be brief.</system-reminder>")
    chat = Conversation([marked, Message("assistant", "Yes."), *LAST[2:], Message("assistant", "Done.")])
    (loss,) = [loss for loss in retention(replay(chat, CUT), stars=[0]).losses if loss.kind == "star"]
    assert loss.severity == "person"


def test_no_question_is_proposed_about_what_a_program_put_there():
    text = "The passphrase of the archive in Oslo is HW-3917 until Friday."
    turns = [m for k in range(9) for m in (Message("user", f"Question {k}?"), Message("assistant", "Yes."))]
    assert propose_questions(Conversation([Message("user", text), *turns]))
    assert not propose_questions(Conversation([Message("user", f"<ide_note>{text}</ide_note>"), *turns]))
