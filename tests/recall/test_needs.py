"""Needs: uses of something said earlier that could not be known otherwise."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import settings as examples
from hypothesis import strategies as st

from historylab import Conversation, Message, ToolCall, generate
from historylab.recall.references import contains_value, find_needs, searchable_text
from historylab.recall.shapes import TOKEN

FILLER = [Message("user", "Go on."), Message("assistant", "Done."), Message("user", "And now?")]


def called(tool: str, arguments: object = None, **others: object) -> Message:
    given_as = arguments if isinstance(arguments, str) else json.dumps(others if arguments is None else arguments)
    return Message("assistant", tool_calls=(ToolCall("c", tool, given_as),))


def values(*messages: Message, tools: list | None = None) -> list[str]:
    """The needs of the last message, after the filler."""
    *earlier, last = messages
    chat = Conversation([*earlier, *FILLER, last], metadata={"tools": tools} if tools else {})
    return [need.value for step in find_needs(chat) for need in step if need.message == len(chat) - 1]


def person(text: str) -> Message:
    return Message("user", text)


def found(text: str) -> Message:
    return Message("tool", text)


def test_a_status_of_a_todo_is_no_need_whoever_typed_the_word():
    todo = called("TodoWrite", todos=[{"content": "step 1", "status": "pending"}])
    chat = Conversation([person("Commit the pending changes."), *[todo, found("ok")] * 6])
    assert [need.value for step in find_needs(chat) for need in step] == []


@pytest.mark.parametrize("key", ["enum", "default", "examples", "const"])
def test_a_value_that_the_tools_own_schema_names_is_no_need(key):
    schema = {"type": "object", "properties": {"plan": {"type": "string", key: ["Gold-2026"]}}}
    book, said = called("book", plan="Gold-2026"), person("What does Gold-2026 mean?")
    assert values(said, book, tools=[{"name": "book", "input_schema": schema}]) == []
    assert values(said, book, tools=[{"type": "function", "function": {"name": "book", "parameters": schema}}]) == []
    assert values(said, book, tools=[{"name": "other", "input_schema": schema}]) == ["Gold-2026"]


def test_a_choice_among_few_words_is_none_and_a_name_that_stands_once_is_one():
    modes = [called("grep", mode=mode) for mode in ("filesWithMatches", "content", "filesWithMatches") * 2]
    assert values(found("filesWithMatches, content"), *modes) == []
    assert values(person("Look for cartStore."), called("grep", pattern="cartStore")) == ["cartStore"]


def test_a_number_that_an_argument_usually_has_is_no_need():
    said = found("It gave up after 12345 ms, as before after 120000.")
    run = [called("run", command="make", timeout=timeout) for timeout in (12345, 120000) * 3]
    assert values(said, *run) == []
    assert values(said, called("run", wait=12345)) == ["12345"]


def test_a_round_number_is_a_need_where_it_was_said_under_the_same_name():
    assert values(found('{"amount": 500, "to": "Noor"}'), called("refund", amount=500)) == ["500"]
    assert values(found("500 lines were read"), called("refund", amount=500)) == []
    assert values(person("Is her note there, number 11?"), called("read_note", number=11)) == ["11"]


@pytest.mark.parametrize(
    ("row", "value"),
    [
        ("48,4.57,216.00", "4.57"),
        ("7,415,92", "92"),
        ('{"text": "sold\\n4.57"}', "4.57"),
        ('["4.57\\t415"]', "4.57"),
        ("C:\\new4.57 b", None),
        ('{"path": "C:\\\\n4.57"}', None),
        ("In all 7,415 carts.", None),
    ],
)
def test_a_number_stands_alone_in_rows_with_commas_and_behind_a_line_break_that_json_escapes(row, value):
    needed = values(found(row), Message("assistant", f"It is {value or ('415' if '415' in row else '4.57')} now."))
    assert needed == ([value] if value else [])


def test_numbers_of_the_lines_of_a_file_are_not_what_a_call_needs():
    listed = found("\n".join(f"{n:6d}→x" for n in range(640, 680)))
    assert values(listed, called("read", offset=657)) == []
    assert values(found("src/cart.ts:657: total()"), called("read", offset=657)) == ["657"]


def test_a_description_of_the_assistants_own_is_no_need_but_the_id_in_it_is():
    first = called("bash", command="make test", description="Run the Cart tests")
    assert values(first, called("bash", command="make test", description="Run the Cart tests")) == []
    assert values(person("Close CRT-1043."), called("note", text="Close ticket CRT-1043 now")) == ["CRT-1043"]


def test_a_todo_that_is_sent_again_needs_nothing_a_second_time():
    todo = called("todo", items=["Update src/cart.ts", "Then rest"])
    assert values(person("src/cart.ts is broken."), todo) == ["src/cart.ts"]
    assert values(person("src/cart.ts is broken."), todo, todo) == []


@pytest.mark.parametrize("habit", ["git status --short", "make test 2>&1 | tail -5", "ls -la"])
def test_a_command_known_by_heart_is_no_need(habit):
    assert values(person(f"Run {habit} first."), called("bash", command=habit), called("bash", command=habit)) == []


@pytest.mark.parametrize(
    ("command", "needed"),
    [
        ("sed -n 1,40p web/store/cartStore.ts", "web/store/cartStore.ts"),
        ("curl -s https://api.example.org/v2/carts?id=9", "https://api.example.org/v2/carts?id=9"),
        ("psql -c \"select * from carts where id = 'crt_81Xq'\"", "crt_81Xq"),
        ("npm i left-pad@1.3.0", "left-pad@1.3.0"),
        ("git log --author=noor@example.org", "noor@example.org"),
        ("git checkout cart-rework", "cart-rework"),
        ("git show 9f3c2ab", "9f3c2ab"),
        ("date -d 2026-11-22", "2026-11-22"),
        (r"type C:\work\cart\Total.cs", r"C:\work\cart\Total.cs"),
        ("grep -rn cart_total_of src", "cart_total_of"),
    ],
)
def test_what_stands_inside_a_command_is_a_need(command, needed):
    said = person(f"It is about {needed} here.")
    assert values(said, called("exec_command", cmd=command)) == [needed]
    assert values(said, called("shell", command=["bash", "-lc", command])) == [needed]
    broken_off = called("shell", json.dumps({"command": command})[:-1])
    assert values(said, broken_off) == ([needed] if needed != "cart-rework" else [])  # which may be prose


def test_a_path_may_be_said_from_one_of_its_folders_on():
    assert values(person("See web/cart.ts"), called("read", path="/srv/shop/web/cart.ts")) == ["web/cart.ts"]
    assert values(person("See web/cart.ts"), called("read", path="/srv/shop/web/cart.ts:12")) == ["web/cart.ts"]


def test_a_text_quoted_whole_is_one_need_and_names_in_it_are_not_counted_again():
    old = "cart_total = price_of(cart)\ncart_tax = tax_of(cart)"
    edit = called("edit", path="web/cart.py", old_string=old, new_string=old + "\nship(cart_total, zone_of_cart)")
    said = found(f"web/cart.py\n{old}\ndef zone_of_cart(): …")
    assert values(said, edit) == ["web/cart.py", old, "zone_of_cart"]


def test_a_patch_is_one_need_beside_its_file():
    patch = (
        "*** Begin Patch\n*** Update File: web/cart.py\n@@\n cart_total = price_of(cart)\n-cart_tax = 7\n"
        "+cart_tax = 9\n*** End Patch"
    )
    said = found("web/cart.py: \ncart_total = price_of(cart)\ncart_tax = 7\n")
    quoted = "cart_total = price_of(cart)\ncart_tax = 7"
    assert values(said, called("apply_patch", input=patch)) == ["web/cart.py", quoted]
    assert values(said, called("shell", command=["apply_patch", patch])) == ["web/cart.py", quoted]
    unified = "--- a/web/cart.py\n+++ b/web/cart.py\n" + patch[patch.index("@@") : patch.index("\n***", 50)]
    assert values(said, called("patch", diff=unified)) == ["web/cart.py", quoted]


def test_the_folder_that_every_call_is_made_in_is_no_need():
    runs = [called("exec_command", cmd="make", workdir="/srv/shop")] * 4
    assert values(person("<cwd>/srv/shop</cwd>"), *runs) == []
    assert values(person("Look in /srv/shop"), called("list", path="/srv/shop")) == ["/srv/shop"]


def test_a_sum_is_no_need_but_what_it_was_made_of_is():
    two = [found("Cart A: 1,061 items"), found("Cart B: 512 items")]
    total = Message("assistant", "That makes 1573.")
    assert values(*two, total, Message("assistant", "1573 items, as I said.")) == []
    assert values(*two, total, Message("assistant", "Of the 1,061 in A.")) == ["1,061"]


@pytest.mark.parametrize(
    ("said", "answer", "needed"),
    [
        ("My daughter Mateusza sings.", "Then ask Mateusza.", ["Mateusza"]),
        ('{"from": "ATL", "seats": ["F4", "F5"]}', "From ATL, seat F5.", ["F5", "ATL"]),
        ("It took over 3 hours.", "More than 3 hours is too long.", ["3 hours"]),
        ("Stay 3-4 hours.", "I'd stay 3-4 hours, too.", ["3-4 hours"]),
        ("It prints 'Hello, Cart!' twice.", "You see 'Hello, Cart!' again.", ["Hello, Cart!"]),
        ("『骨のパズル』はありますか。", "『骨のパズル』は五月二日まで貸出中です。", ["骨のパズル"]),
        ("打开src/a.py文件", "我改了src/a.py。", ["src/a.py"]),
        ("Заказ ORD-77 готов", "Это ORD-77.", ["ORD-77"]),
        ("Use JSON over HTTP. All APIs are open in May.", "Sent as JSON over HTTP, in May, to the APIs.", []),
        ("The build took 2 ms and 18 cm of paper.", "It took 2 ms: 18 cm.", ["2 ms", "18 cm"]),
        ("The cart is 14.50 on October 17, 2025.", "October 17, 2025: 14.50.", ["14.50", "October 17, 2025"]),
        ("Ring 0471 55 9512 or 0471 55 3207.", "It is 0471 55 9512.", ["0471 55 9512"]),
        ('{"last_name": "Brown", "first_name": "Lucas"}', "Lucas Brown: booked.", ["Brown"]),
        ("I'm with Wren Abbott. Noor may come.", "Wren Abbott and Noor: noted.", ["Wren Abbott", "Noor"]),
        ("Is my friend Noor there?", "Noor is here.", ["Noor"]),
        ("New carts are empty.", "New ones too.", []),
        ("Three steps: 10, 11, 12.", "10. Open it\n11. Close it\n12. Rest", []),
        ("Either read/write or n/a.", "It is read/write, n/a.", []),
    ],
)
def test_an_answer_needs_what_stands_out_in_it(said, answer, needed):
    assert values(person(said), Message("assistant", answer)) == needed


def test_what_an_answer_chose_is_needed_by_a_later_one_unless_it_is_in_all_of_them():
    def later(*answers: str) -> list[str]:
        return values(*(Message("assistant", text) for text in answers))

    assert later("I'll listen on 8743.", "It listens on 8743.") == ["8743"]
    assert later("You may pay within 14 days.", "Due in 14 days.") == ["14 days"]
    assert later("Then Harbour Master is her job.", "One glass for the Harbour Master.") == ["Harbour Master"]
    assert later(*["It takes 8743 steps."] * 5) == []
    assert later("See “Sum of two” at line 1000, top of 2023 tables.", "“Sum of two”: 1000, 2023 tables.") == []
    assert values(called("plan", steps=["Noise off today"]), called("plan", steps=["Noise off today"])) == []


def test_a_plain_word_marked_as_code_is_a_need_where_something_of_that_name_is_assigned():
    answer = Message("assistant", "It ends once `left` is 0.")
    assert values(found("kept, left = [], 100"), answer) == ["left"]
    assert values(found("What is left is 100."), answer) == []


def test_that_answers_say_a_number_again_makes_it_no_accident():
    told = found('{"guest": "Noor", "locker": "591"}')
    assert values(told, *[Message("assistant", "Your locker is 591.")] * 9) == ["591"]
    assert values(*[found(f"591 of {n} lines") for n in range(600, 609)], Message("assistant", "It is 591.")) == []


def test_a_name_that_a_file_of_the_project_brings_in_is_no_librarys():
    def needed(listing: str) -> list[str]:
        return values(found(listing), called("bash", command="grep -rl CartClient ."))

    assert needed("from .core import Model, CartClient\nCartClient()") == ["CartClient"]
    assert needed("from shop.client import CartClient\n./shop/client.py") == ["CartClient"]
    assert needed("import { Model, CartClient } from './core'\nCartClient()") == ["CartClient"]
    assert needed("from requests import CartClient\nCartClient()") == []


def test_a_marker_that_every_answer_has_is_a_form_not_a_fact():
    step = Message("assistant", "THOUGHT: look.\nend_of_edit")
    assert values(Message("system", "Close each edit with end_of_edit."), *[step, person("Go on.")] * 4, step) == []


def test_a_file_that_the_assistant_named_itself_is_a_need_later():
    wrote = called("write", path="web/cart_total.ts", content="export {}")
    assert values(wrote, called("bash", command="tsc web/cart_total.ts")) == ["web/cart_total.ts"]


CHATS = {name: generate(name, turns=6, seed=3) for name in ("support_desk", "coding_agent", "tool_loop")}


@pytest.mark.parametrize("name", sorted(CHATS))
def test_a_need_is_said_in_each_of_its_mentions_before_the_message_that_uses_it(name):
    chat = CHATS[name]
    for need in (need for step in find_needs(chat) for need in step):
        said = need.mentions.tolist()
        assert said == sorted(set(said))
        assert said[-1] < need.message
        parts = [line for line, _ in need.lines] or [need.value]
        assert all(any(contains_value(searchable_text(chat[i]), part) for part in parts) for i in said)


@examples(max_examples=40, deadline=None)
@given(st.lists(st.sampled_from(["alpha_one", "src/b.py", "ID-4711", "x = 1", "Noor"]), min_size=1, max_size=6))
def test_no_need_stands_inside_a_text_quoted_whole(words):
    old = "first line here\n" + "\n".join(words)
    assert values(found(f"{old}\nrest"), called("edit", old_string=old, new_string=old + "\n")) == [old]


@examples(max_examples=40, deadline=None)
@given(
    st.integers(1, 5), st.sampled_from([{"timeout": 30000}, {"status": "pending"}, {"command": "git status --short"}])
)
def test_routine_calls_add_no_need(times, arguments):
    said = [person("After 30000 ms the pending ones show in git status --short."), person("Close CRT-1043.")]
    closing = called("close", ticket="CRT-1043")
    assert values(*said, *[called("poll", **arguments)] * times, closing) == values(*said, closing) == ["CRT-1043"]


def committed(message: str) -> Message:
    return called("bash", command=f"git add -A && git commit -F - <<'EOF'\n{message}\nEOF")


def test_a_message_that_is_sent_again_needs_nothing_a_second_time():
    message = "Rework carts\n\n- Move total_of_cart to web/cart.py\n\nCo-Authored-By: Robot <robot@example.org>"
    said = person("Move total_of_cart to web/cart.py.")
    assert values(said, committed(message)) == ["total_of_cart", "web/cart.py"]
    assert values(said, committed(message), committed(message)) == []
    other = message.replace("Rework", "Mend")
    assert values(said, committed(message), committed(other)) == ["total_of_cart", "web/cart.py"]
    pushed = called("bash", command="cd web\npytest tests/test_cart.py")
    assert values(person("Run tests/test_cart.py."), pushed, pushed) == ["tests/test_cart.py"]


def test_names_that_a_script_makes_up_are_none_but_what_it_writes_stays():
    script = 'python -c "\nhtml_of_cart = render(1)\nprint(html_of_cart)\n"'
    assert values(called("bash", command=script), called("write", path="t.py", content="html_of_cart = 2\n")) == []
    imports = called("bash", command='python -c "\nfrom web.cart_view import show\n"')
    shown = found("./web/cart_view.py")
    assert values(imports, shown, called("write", path="t.py", content="import web.cart_view\n")) == ["web.cart_view"]
    written = called("bash", command="cat > web/cart.py <<'EOF'\ndef total_of_cart():\n    pass\nEOF")
    assert values(written, called("bash", command="grep total_of_cart web/cart.py")) == ["total_of_cart", "web/cart.py"]


def test_what_describes_a_command_is_made_up():
    said = person("Is the CartView in web/cart.py open?")
    run = called("bash", command="cat web/cart.py", description="Show the CartView in web/cart.py")
    assert values(said, run) == ["web/cart.py"]


def test_the_value_of_an_option_is_a_choice_where_it_is_always_one_of_few():
    claim = [called("bash", command=f"bd update crt-{n}04 --status in_progress") for n in range(1, 5)]
    assert values(person("Some are in_progress, as crt-404."), *claim) == ["crt-404"]
    assert values(person("Take the cart_rework branch."), called("bash", command="gh pr --base cart_rework")) == [
        "cart_rework"
    ]


@pytest.mark.parametrize(
    ("said", "code"),
    [
        ("match [a-zA-Z0-9_-]+ there", "re.compile('[a-zA-Z0-9_-]+')\n"),
        ("padding: 2px 0.5rem;", "a { margin: 2px 0.5rem }\n"),
        ('awk "$1"', "run $1\n"),
        ("cat /proc/sys/kernel/random/uuid", "open('/proc/sys/kernel/random/uuid')\n"),
        ("As README.md and package.json say.", "see README.md, package.json\n"),
        ('DIR="$(cd "$(dirname "$0")" && pwd)"', 'A="$(cd "$(dirname "$0")" && pwd)"\n'),
    ],
)
def test_what_stands_in_any_code_is_no_need(said, code):
    assert values(found(said), called("write", path="new.txt", content=code)) == []


def test_names_of_a_tools_arguments_are_of_its_schema():
    read = called("read", file_path="web/cart.py")
    assert values(found("file_path: str"), read, called("write", path="t.py", content="file_path = 1\n")) == []


@pytest.mark.parametrize("times", [1, 2])
def test_the_folder_that_a_program_set_is_none_from_the_first_call_on(times):
    runs = [called("exec_command", cmd="ls", workdir="/srv/shop")] * times
    set_up = "<environment_context>\n  <cwd>/srv/shop</cwd>\n</environment_context>"
    assert values(person(set_up), *runs) == []
    assert values(person("Work in /srv/shop."), *runs) == ["/srv/shop"]


@pytest.mark.parametrize(
    ("said", "code", "needed"),
    [
        (
            "It is at https://api.example.org/v2.",
            "curl https://api.example.org/v2/carts/14",
            "https://api.example.org/v2",
        ),
        ('{"ledger": "blg_7Qx2"}', "curl https://api.example.org/v2/ledger/blg_7Qx2?all=1", "blg_7Qx2"),
        ("On 2026-03-09, please.", "at --from 2026-03-09T08:00", "2026-03-09"),
    ],
)
def test_an_address_or_a_moment_may_be_said_in_part(said, code, needed):
    assert values(person(said), called("bash", command=code)) == [needed]


def test_joined_words_are_names_where_they_stand_alone():
    page = called("write", path="page.html", content='<p class="cart-row">\nit is well-known\n')
    assert values(found("a cart-row; well-known"), page) == ["cart-row"]
    assert values(person("From T-NORTH."), Message("assistant", "It leaves T-NORTH.")) == ["T-NORTH"]


def test_a_function_that_is_only_called_is_of_a_library():
    uses = called("write", path="t.ex", content="reject(is_nil(cart))\non_exit(fn -> total_of(cart) end)\n")
    seen = "|> Enum.reject(&is_nil/1)\nif is_nil(cart)\non_exit(fn -> :ok end)\ntotal_of(cart)"
    assert values(found(seen), uses) == []
    assert values(found(f"{seen}\ndef total_of(cart)"), uses) == ["total_of"]
    assert values(found("So total_of is it."), uses) == ["total_of"]
    assert values(found(seen), called("bash", command="grep -rn total_of lib")) == ["total_of"]


@pytest.mark.parametrize("mark", ["-", "+", "."])
def test_a_long_ruled_line_takes_no_longer_than_any_text(mark):
    """An address may begin at each of its marks: to search from every one to the end would take most of an hour."""
    assert TOKEN.search(mark * 1_000_000) is None


KNOWN = (
    *("/dev/null", "http://127.0.0.1", "README.md", "AGENTS.md", "tsconfig.json", "pyproject.toml", "requirements.txt"),
    *(
        "Cargo.toml",
        "mix.exs",
        "docker-compose.yml",
        "GitHub",
        "Node.js",
        "JavaScript",
        "PostgreSQL",
        "GraphQL",
        "Python",
        "python3",
        "ZeroDivisionError",
        "macOS",
    ),
)


def test_headings_and_what_a_prompt_demands_are_no_names():
    answer = Message("assistant", "**Status:** it is Kestrel.")
    assert values(found("# Latest Version Status\nof Kestrel"), answer) == ["Kestrel"]
    assert values(found("the Status of Kestrel"), answer) == ["Status", "Kestrel"]
    summary = Message("assistant", "The Problem Solving went well.")
    assert values(Message("system", "5. Problem Solving: what was mended"), summary) == []


def test_tags_of_a_markup_are_no_names():
    answer = Message("assistant", "<tool_call>read CRT-1043</tool_call>")
    assert values(found("<tool_call> CRT-1043"), answer) == ["CRT-1043"]


def test_scripts_of_a_temporary_folder_are_passing_and_a_year_is_told():
    first = called("bash", command="cat > /tmp/a.py << 'EOF'\ncart_rows = 1\nEOF")
    assert values(first, called("bash", command="cat > /tmp/b.py << 'EOF'\nprint(cart_rows)\nEOF")) == []
    kept = called("bash", command="cat > src/a.py << 'EOF'\ncart_rows = 1\nEOF")
    assert values(kept, called("bash", command="cat > src/b.py << 'EOF'\nprint(cart_rows)\nEOF")) == ["cart_rows"]
    assert values(found("word " * 300 + "since 2016"), Message("assistant", "It began in 2016.")) == ["2016"]


def test_two_words_joined_are_prose_unless_a_person_said_them_and_three_are_a_name():
    answer = Message("assistant", "The quarter-to-nine call-in is yours.")
    assert values(found("a quarter-to-nine call-in"), answer) == ["quarter-to-nine"]
    assert values(person("my call-in at quarter-to-nine"), answer) == ["quarter-to-nine", "call-in"]
    assert values(person("Send an e-mail."), Message("assistant", "The e-mail is sent.")) == []


def test_a_name_stays_one_though_the_word_is_said_in_small_letters_later():
    dog, cake = person("The dog is called Biscuit."), person("Is there a biscuit left?")
    answer = Message("assistant", "That one is for Biscuit.")
    assert values(dog, cake, answer) == ["Biscuit"]
    assert values(cake, dog, answer) == []


def test_an_option_a_kind_and_a_name_of_a_platform_are_no_needs_whatever_said_them_first():
    seen = found("grep -A10, Explore, new Float32Array(9), `Cart.Case`, window.getCart = window.getCart || mozGetCart")
    assert values(seen, called("task", subagent_type="Explore", command="grep -A10 CRT-1043 x")) == []
    assert values(seen, Message("assistant", "It needs Float32Array, `LiveCart.Case`, getCart.")) == []


@pytest.mark.parametrize("name", KNOWN)
def test_what_every_program_knows_is_no_need(name):
    said = found(f"It has {name} and CRT-1043.")
    assert values(said, called("write", path="n.txt", content=f"see {name}, CRT-1043\n")) == ["CRT-1043"]


@pytest.mark.parametrize(
    "said",
    [
        "10:41 Porto",
        "2026-10-04",
        "Order T-10",
        "Friday 10 to 10 June",
        "It is 0.10 or 10.5",
        "9 10 11",
        "  10\tx = 1",
    ],
)
def test_a_small_number_is_not_said_by_a_time_a_date_an_id_or_the_number_of_a_line(said):
    answer = Message("assistant", "There are 10 left.")
    assert values(found(said), answer) == []
    assert values(found(said), found('{"left": 10}'), answer) == ["10"]
    assert contains_value(said, "10") is False


def test_a_number_that_a_person_said_is_a_need_whatever_the_argument_is_called():
    price = called("price", count=18)
    assert values(person("We need 18 posts."), price) == ["18"]
    assert values(found("18 files read"), price) == []
    assert values(person("word " * 300 + "18 posts"), price) == []


@pytest.mark.parametrize(
    "name", ["LiveCart", "LiveCart.Total", "toCart", "Cart::toTotal", "Cart.open_total", ".Cart.toTotal"]
)
def test_a_name_that_no_message_defines_or_quotes_or_has_a_file_of_is_of_a_library(name):
    first = name.replace("::", ".").strip(".").split(".")[0]
    answer = Message("assistant", f"It uses {name} here.")
    assert values(found(f"use {name}, async"), answer) == []
    assert values(found(f"use {name}, async"), called("write", path="t.ex", content=f"x = {name}\n")) == []
    for defined in (f"class {first}:", f"`{name}` fails", f"{name} = 1", f'"{name}"'):
        assert values(found(f"use {name}, async\n{defined}"), answer) == [name]
    assert values(person(f"How does {name} work?"), answer) == [name]


def test_a_name_is_of_the_project_where_a_file_is_called_so():
    answer = Message("assistant", "Look at LiveCart and at shop.cart_total.")
    used = found("use LiveCart, async")
    assert values(used, found("lib/live_cart.ex"), answer) == ["LiveCart"]
    assert values(used, found("lib/LiveCart.java"), answer) == ["LiveCart"]
    assert values(used, found("https://docs.dev/LiveCart.html deps/cart/lib/live_cart.ex"), answer) == []
    script = called("bash", command='python -c "import shop.cart_total"')
    imports = Message("assistant", "It imports shop.cart_total.")
    assert values(script, imports) == []
    assert values(script, found("shop/cart_total.py"), imports) == ["shop.cart_total"]


def test_a_name_that_nobody_but_the_assistant_said_is_its_own_until_a_person_takes_it_up():
    answer = Message("assistant", "I asked Mateusza again.")
    assert values(Message("assistant", "I can ask Mateusza."), answer) == []
    assert values(Message("assistant", "I can ask Mateusza."), person("Yes, Mateusza!"), answer) == ["Mateusza"]


def test_a_name_of_several_words_is_a_need_at_every_call_that_has_it():
    stock = called("stock", product="Cobble summit pack")
    asked = person("Is the Cobble summit pack in stock?")
    assert values(asked, stock) == values(asked, stock, stock) == ["Cobble summit pack"]
    assert values(stock, stock) == []


def test_two_characters_are_a_name_where_words_are_short():
    assert values(person("李雯です。恐竜の本を探しています。"), called("search", word="恐竜")) == ["恐竜"]
    assert values(person("カード番号は 0047-ふじ-311 です。"), called("reserve", card="0047-ふじ-311")) == [
        "0047-ふじ-311"
    ]
    assert values(person("Is ab here?"), called("search", word="ab")) == []


def test_a_file_that_every_answer_is_about_is_no_form():
    step = Message("assistant", "Now hello.py runs.")
    assert values(person("Write hello.py."), *[step, person("Go on.")] * 4, step) == ["hello.py"]


def test_a_form_that_the_prompt_asks_for_is_none_from_the_first_answer_on():
    prompt, step = Message("system", "Close each edit with end_of_edit."), Message("assistant", "end_of_edit")
    assert values(prompt, step) == ["end_of_edit"]
    assert values(prompt, step, step) == []


def test_prose_of_several_lines_is_read_as_prose_and_code_is_not():
    said = found('{"from": "Atlanta", "to": "Boston"}')
    assert values(said, called("think", thought="Two legs:\nfrom Atlanta\nto Boston")) == ["Atlanta", "Boston"]
    assert values(said, called("write", path="t.py", content="x = Atlanta\ny = Boston\n")) == []


def test_new_text_that_is_part_of_the_old_is_not_counted_again():
    old = "cart_total = price_of(cart)\ncart_tax = tax_of(cart)"
    edit = called("edit", old_string=old, new_string="cart_tax = tax_of(cart)")
    assert values(found(old), edit) == [old]


def test_what_an_answer_marks_as_code_is_a_need_where_somebody_else_said_it_first():
    answer = Message("assistant", "It fails in `division` and at `{% if carts %}`.")
    assert values(found("def division(a, b):\n{% if carts %}"), answer) == ["division", "{% if carts %}"]
    assert values(found("A division by zero, `division`"), answer) == []  # a plain word that nobody declares
    assert values(Message("assistant", "I named it division."), answer) == []


def test_a_number_in_a_compact_list_is_said_and_a_group_of_digits_is_not():
    answer = Message("assistant", "Row 657 it is.")
    assert values(found("[657,8]"), answer) == ["657"]
    assert values(found("1,657 rows"), answer) == []
    assert values(found("657,800 rows"), answer) == []


def test_a_date_is_said_without_its_year():
    answer = Message("assistant", "I booked it for May 21, 2031.")
    assert values(person("Sometime around May 21, please."), answer) == ["May 21"]


def test_a_dotted_name_of_three_parts_is_one_whatever_its_words():
    write = called("write", content='attributes = {"cart.view.opened": true}')
    assert values(found("Set `cart.view.opened` on each span."), write) == ["cart.view.opened"]


@pytest.mark.parametrize("known", ["in_progress", "Elixir", "Claude"])
def test_status_words_languages_and_assistants_are_known(known):
    assert values(person(f"Mark it as {known}, please."), Message("assistant", f"It is now {known} here.")) == []
