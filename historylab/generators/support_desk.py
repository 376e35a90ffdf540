"""A customer and the support desk of an outdoor shop: early facts, order look-ups, questions about those facts."""

from __future__ import annotations

import json
from dataclasses import dataclass

from historylab.conversation.conversation import Conversation
from historylab.generators.base import Dice, Script, Seed, Turns, Words, lengthen
from historylab.registry import register

NAMES = ("Ines Moreau", "Tomasz Zielinski", "Aisha Bello", "Henrik Dahl", "Mei-Ling Tan", "Rosa Quispe", "Callum Byrne")
TOWNS = ("Ghent", "Tromsø", "Galway", "Turin", "Kraków", "Porto", "Graz")
PRODUCTS = (
    "Skarn 45 l rucksack",
    "Lumen head torch",
    "Fjellro two-person tent",
    "Tarn merino base layer",
    "Cobble summit pack",
    "Kelp down-free sleeping bag",
    "Ember gas stove",
    "Drizzle rain shell",
    "Plover trekking umbrella",
    "Sorrel insulated flask",
)
ALLERGIES = ("nickel", "latex", "down feathers", "lanolin")
DOORS = (
    "the buzzer is broken, so please ring the neighbour at number 14",
    "leave it in the green box behind the bicycle shed",
    "the courier must phone first, because the gate is locked until ten",
    "hand it to the bakery downstairs if nobody opens",
)
TRIPS = ("the Kungsleden", "a week on Skye", "the Tour du Queyras", "the Dolomites with my sister", "a school camp")
CARRIERS = ("Northpost", "Wayfreight", "Parcelbird")
STATES = ("packed and waiting for collection", "on its way", "held at the depot", "out for delivery", "delivered")
REASONS = ("the zip sticks", "it runs a size small", "one strap came unstitched", "the colour is not the one I chose")
PADDING = (
    "If anything about this looks wrong to you, tell me and I will check it again.",
    "Our warehouse updates this every two hours, so a fresh scan may appear later today.",
    "You will get an e-mail with the same details, so there is no need to write them down.",
    "Returns stay free for sixty days, and the label prints in black and white.",
    "I have made a note on your account so that a colleague can pick this up without asking you twice.",
    "For a repair we usually need ten working days, plus the time it travels.",
    "The price you paid is kept for any exchange, even if the shelf price has changed since.",
    "Nothing else is open on your side at the moment.",
    "Weekend deliveries cost nothing extra within the city.",
    "If you would rather speak to someone, the desk answers the phone from nine to six.",
)
CARE = (
    "wash it by hand in lukewarm water, without softener, and dry it away from the sun",
    "it weighs a little less than the label says, because the old buckles were heavier",
    "customers who walk in wet places write to us that it lasts about four seasons",
    "the spare part most people ask for costs under ten euros and is in every shop",
    "try it at home first, with everything you will really carry",
)
ADVICE = (
    "For {trip}, would you take the {one} or the {other}?",
    "I'm still unsure between the {one} and the {other}. What would you do?",
    "My sister swears by the {one}. Is it worth more than the {other}?",
    "If I can carry only one of them: the {one} or the {other}?",
)
VERDICTS = (
    "I'd take the {one}; the {other} is the better choice only in dry weather.",
    "The {other}, to be honest: for {trip} it saves you half a kilo.",
    "Both would do, but the {one} is easier to repair on the way.",
)
THANKS = ("Good, thank you.", "That helps.", "All right.", "Great.", "Okay, noted.", "")


@dataclass(frozen=True)
class Customer:
    """Facts the customer states at the start and may ask for later."""

    name: str
    town: str
    order: str
    member: str
    allergy: str
    door: str
    trip: str
    day: int

    def asked_again(self, dice: Dice) -> tuple[str, str]:
        """A question about an early fact, and its answer."""
        return dice.pick(
            (
                ("Which order number did I give you at the very start?", f"You began with order {self.order}."),
                ("What did I say I am allergic to?", f"You told me that {self.allergy} is what you cannot wear."),
                ("Can you repeat my delivery instructions?", f"For the courier you asked: {self.door}."),
                ("By which day did I need everything?", f"By the {self.day}th, before {self.trip}."),
                ("What was my membership number again?", f"Your membership number is {self.member}."),
            )
        )


@register("generator", title="Support desk")
def support_desk(*, turns: Turns = 40, words: Words = 45, seed: Seed = 0) -> Conversation:
    """A customer and a shop's support desk, with order look-ups and early facts asked for again."""
    dice = Dice(seed)
    customer = _customer(dice)
    script = Script(
        "You are the support desk of Cairn & Co., an outdoor shop. Be brief and kind, look things up before you "
        "answer, and never suggest a product that holds what the customer is allergic to."
    )
    scenes = (_parcel, _return, _advice, _stock, _recall)
    for turn in range(turns - 1):
        scene = _opening if turn == 0 else _particulars if turn == 1 else dice.pick(scenes)
        scene(script, dice, customer, words)
    question = customer.asked_again(dice)[0] if turns > 2 else f"Hello, where is order {customer.order}?"
    script.user(f"One last thing before I go. {question}" if turns > 2 else question)
    return Conversation(script.messages, f"support desk, {turns} turns, seed {seed}")


def _customer(dice: Dice) -> Customer:
    return Customer(
        name=dice.pick(NAMES),
        town=dice.pick(TOWNS),
        order=_order(dice),
        member=f"CC-{dice.between(100, 999)}-{dice.between(1000, 9999)}",
        allergy=dice.pick(ALLERGIES),
        door=dice.pick(DOORS),
        trip=dice.pick(TRIPS),
        day=dice.between(11, 19),
    )


def _order(dice: Dice) -> str:
    return f"{dice.between(20, 89)}-{dice.between(10000, 99999)}"


def _answer(dice: Dice, words: int, text: str) -> str:
    """The text, padded with whole sentences to about that many words."""
    return lengthen(dice, words, text, PADDING, lambda: f"About the {dice.pick(PRODUCTS)}: {dice.pick(CARE)}.")


def _opening(script: Script, dice: Dice, customer: Customer, words: int) -> None:
    script.user(
        f"Hi, I'm {customer.name} from {customer.town}. I need everything from order {customer.order} by the "
        f"{customer.day}th, because that's when {customer.trip} starts. Where is it now?"
    )
    _look_up(script, dice, customer.order, words, f"Hello {customer.name.split()[0]}!")


def _particulars(script: Script, dice: Dice, customer: Customer, words: int) -> None:
    script.user(
        f"Two things for my file: I'm allergic to {customer.allergy}, and for deliveries {customer.door}. "
        f"My membership number is {customer.member}."
    )
    script.assistant(_answer(dice, words, f"Noted both, and {customer.member} is linked to this conversation."))


def _parcel(script: Script, dice: Dice, customer: Customer, words: int) -> None:
    order = customer.order if dice.below(3) == 0 else _order(dice)
    ask = dice.pick(("Any news of order {}?", "Where has order {} got to?", "Has {} left the warehouse yet?"))
    script.user(f"{dice.pick(THANKS)} {ask.format(order)}".strip())
    _look_up(script, dice, order, words, "")


def _look_up(script: Script, dice: Dice, order: str, words: int, greeting: str) -> None:
    carrier, state, product = dice.pick(CARRIERS), dice.pick(STATES), dice.pick(PRODUCTS)
    tracking = f"{carrier[:2].upper()}{dice.between(10**8, 10**9 - 1)}"
    found = {"order": order, "items": [product], "total": f"€{dice.between(19, 320)}.90", "carrier": carrier}
    scans = [f"{7 + i * 3:02d}:{dice.between(10, 59)} {town}" for i, town in enumerate(dice.several(TOWNS, 3))]
    script.call(
        "",
        ("lookup_order", {"order": order}, json.dumps(found, ensure_ascii=False)),
        (
            "track_parcel",
            {"order": order},
            json.dumps({"tracking": tracking, "state": state, "scans": scans}, ensure_ascii=False),
        ),
    )
    text = f"{greeting} Your {product} (order {order}) is {state}; {carrier} has it under {tracking}.".strip()
    script.assistant(_answer(dice, words, text))


def _return(script: Script, dice: Dice, customer: Customer, words: int) -> None:
    product, number = dice.pick(PRODUCTS), f"R{dice.between(10000, 99999)}"
    script.user(f"I'd like to send back the {product}: {dice.pick(REASONS)}.")
    arguments = {"member": customer.member, "product": product}
    script.call("Let me open a return for you.", ("create_return", arguments, json.dumps({"return": number})))
    script.assistant(_answer(dice, words, f"Your return number is {number}; put it inside the parcel, not on it."))


def _advice(script: Script, dice: Dice, customer: Customer, words: int) -> None:
    one, other = dice.several(PRODUCTS, 2)
    names = {"one": one, "other": other, "trip": customer.trip}
    script.user(f"{dice.pick(THANKS)} {dice.pick(ADVICE).format(**names)}".strip())
    verdict = f"{dice.pick(VERDICTS).format(**names)} Neither contains {customer.allergy}."
    script.assistant(_answer(dice, words, verdict))


def _stock(script: Script, dice: Dice, customer: Customer, words: int) -> None:
    product, left = dice.pick(PRODUCTS), dice.below(30)
    script.user(f"Is the {product} in stock in {customer.town}?")
    arguments = {"product": product, "shop": customer.town}
    script.call("", ("check_stock", arguments, json.dumps({"product": product, "left": left})))
    script.assistant(_answer(dice, words, f"There are {left} left." if left else "It is sold out until next week."))


def _recall(script: Script, dice: Dice, customer: Customer, words: int) -> None:
    question, answer = customer.asked_again(dice)
    script.user(f"{dice.pick(THANKS)} {question}".strip())
    script.assistant(_answer(dice, words, answer))
