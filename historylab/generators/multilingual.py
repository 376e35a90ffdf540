"""A hostel's front desk: guests write in eight languages and scripts, and are answered in their own.

The same things are said in each, so that a counter's tokens per character can be compared.
"""

from __future__ import annotations

import json
from dataclasses import dataclass

from historylab.conversation.conversation import Conversation
from historylab.generators.base import Dice, Script, Seed, Turns, Words
from historylab.registry import register

EMOJI = ("🛏️", "☕", "👩‍🍳", "🧳", "🚋", "🌧️", "🤷🏽‍♀️", "🇪🇺", "👍🏿", "🗝️")
SENTENCE = 7  # words of a further sentence, in English
ANSWER = 11  # words of an answer


@dataclass(frozen=True)
class Language:
    """The questions of a guest and the answers of the desk, in one language."""

    name: str
    guests: tuple[str, ...]
    check_in: str
    welcome: str
    talk: tuple[tuple[str, str], ...]
    recall: tuple[str, str]
    further: tuple[str, ...]
    space: str = " "


LANGUAGES = (
    Language(
        "English",
        ("Wren Abbott", "Dara Quinn"),
        "Hello, I'm {guest} and I've booked a bed. I'll be there around {hour}. Which room is mine?",
        "Welcome, {guest}! You are in room {room}, and your locker is number {locker}.",
        (
            ("Is there a kitchen I can use?", "Yes, on the ground floor. Please wash up after cooking."),
            ("Where can I dry wet shoes?", "In the room next to the boiler; it is warm day and night."),
            ("How do I get to the old harbour?", "Tram {tram} goes there from the corner in a quarter of an hour."),
            ("Can I check out later?", "Until noon at no cost, if you tell us the evening before."),
        ),
        ("Which locker was mine again?", "Your locker is number {locker}, {guest}."),
        (
            "Breakfast is from seven to ten.",
            "The Wi-Fi password is on the back of your key card.",
            "Please be quiet after eleven at night.",
            "If it rains, there are umbrellas by the door.",
            "A towel costs two euros.",
            "The nearest pharmacy is on the square.",
        ),
    ),
    Language(
        "Chinese",
        ("李雯", "陈嘉禾"),
        "你好，我是{guest}，订了一个床位，{hour}左右到。我住哪个房间？",
        "欢迎你，{guest}！你住{room}号房，储物柜是{locker}号。",
        (
            ("有可以用的厨房吗？", "有，在一楼。做完饭请把餐具洗干净。"),
            ("湿鞋子可以晾在哪里？", "锅炉房旁边的房间，那里白天晚上都很暖和。"),
            ("去老港口怎么走？", "在街角坐{tram}路电车，一刻钟就到。"),
            ("可以晚点退房吗？", "可以免费延到中午，请提前一晚告诉我们。"),
        ),
        ("我的储物柜是几号来着？", "{guest}，你的储物柜是{locker}号。"),
        (
            "早餐时间是七点到十点。",
            "无线网密码印在房卡背面。",
            "晚上十一点以后请保持安静。",
            "下雨的话，门口有雨伞可以借。",
            "租一条毛巾两欧元。",
            "最近的药店在广场上。",
        ),
        space="",
    ),
    Language(
        "Japanese",
        ("佐藤葵", "高橋蓮"),
        "こんにちは、{guest}です。ベッドを一つ予約していて、{hour}ごろ着きます。部屋はどこですか？",
        "{guest}様、ようこそ。お部屋は{room}号室、ロッカーは{locker}番です。",
        (
            ("使えるキッチンはありますか？", "はい、一階にあります。使ったあとは洗い物をお願いします。"),
            ("濡れた靴はどこで乾かせますか？", "ボイラー室の隣の部屋です。昼も夜も暖かいですよ。"),
            ("旧港へはどう行けばいいですか？", "角の停留所から{tram}番の路面電車で十五分ほどです。"),
            ("チェックアウトを遅くできますか？", "前の晩に言っていただければ、正午まで無料です。"),
        ),
        ("私のロッカーは何番でしたか？", "{guest}様のロッカーは{locker}番です。"),
        (
            "朝食は七時から十時までです。",
            "Wi-Fiのパスワードはカードキーの裏にあります。",
            "夜十一時からはお静かに願います。",
            "雨の日は入口の傘をお使いください。",
            "タオルは一枚二ユーロです。",
            "一番近い薬局は広場にあります。",
        ),
        space="",
    ),
    Language(
        "Korean",
        ("김하윤", "박도현"),
        "안녕하세요, {guest}입니다. 침대 하나를 예약했고 {hour}쯤 도착해요. 몇 호실인가요?",
        "{guest} 님, 환영합니다! {room}호실이고 사물함은 {locker}번입니다.",
        (
            ("쓸 수 있는 주방이 있나요?", "네, 1층에 있습니다. 요리한 뒤에는 설거지를 부탁드려요."),
            ("젖은 신발은 어디에서 말릴 수 있나요?", "보일러실 옆방이요. 밤낮으로 따뜻합니다."),
            ("옛 항구까지 어떻게 가나요?", "길모퉁이에서 {tram}번 트램을 타면 15분 걸립니다."),
            ("체크아웃을 늦게 해도 되나요?", "전날 저녁에 말씀해 주시면 정오까지 무료입니다."),
        ),
        ("제 사물함이 몇 번이었죠?", "{guest} 님의 사물함은 {locker}번입니다."),
        (
            "아침 식사는 7시부터 10시까지입니다.",
            "와이파이 비밀번호는 카드 키 뒷면에 있습니다.",
            "밤 11시부터는 조용히 해 주세요.",
            "비가 오면 문 옆의 우산을 쓰세요.",
            "수건은 한 장에 2유로입니다.",
            "가장 가까운 약국은 광장에 있습니다.",
        ),
    ),
    Language(
        "Arabic",
        ("سلمى الخطيب", "ياسين المصري"),
        "مرحبًا، أنا {guest}، حجزتُ سريرًا وسأصل حوالي الساعة {hour}. في أي غرفة أنا؟",
        "أهلًا بك {guest}! غرفتك رقم {room} وخزانتك رقم {locker}.",
        (
            ("هل يوجد مطبخ يمكنني استعماله؟", "نعم، في الطابق الأرضي. نرجو غسل الأواني بعد الطبخ."),
            ("أين يمكنني تجفيف حذاء مبلل؟", "في الغرفة المجاورة للمرجل، فهي دافئة ليلًا ونهارًا."),
            ("كيف أصل إلى الميناء القديم؟", "خذ الترام رقم {tram} من زاوية الشارع، والرحلة ربع ساعة."),
            ("هل يمكنني المغادرة متأخرًا؟", "حتى الظهر مجانًا، إذا أخبرتنا في المساء السابق."),
        ),
        ("ما رقم خزانتي؟ لقد نسيته.", "خزانتك رقم {locker} يا {guest}."),
        (
            "الفطور من السابعة إلى العاشرة.",
            "كلمة سر الشبكة مكتوبة على ظهر بطاقة المفتاح.",
            "نرجو الهدوء بعد الحادية عشرة ليلًا.",
            "إذا أمطرت فالمظلات عند الباب.",
            "أجرة المنشفة يوروان.",
            "أقرب صيدلية في الساحة.",
        ),
    ),
    Language(
        "Russian",
        ("Вера Соколова", "Илья Морозов"),
        "Здравствуйте, меня зовут {guest}, у меня забронировано место, приеду около {hour}. Какая у меня комната?",
        "Добро пожаловать, {guest}! Ваша комната {room}, ваш шкафчик номер {locker}.",
        (
            ("Есть ли кухня для гостей?", "Да, на первом этаже. После готовки, пожалуйста, мойте посуду."),
            ("Где можно высушить мокрую обувь?", "В комнате рядом с котельной, там тепло днём и ночью."),
            ("Как добраться до старой гавани?", "На трамвае {tram} от угла, ехать четверть часа."),
            ("Можно ли выехать позже?", "До полудня бесплатно, если предупредить накануне вечером."),
        ),
        ("Какой номер у моего шкафчика? Не помню.", "Ваш шкафчик номер {locker}, {guest}."),
        (
            "Завтрак с семи до десяти.",
            "Пароль от вайфая написан на обороте карты-ключа.",
            "После одиннадцати вечера просим не шуметь.",
            "Если идёт дождь, зонты стоят у двери.",
            "Полотенце стоит два евро.",
            "Ближайшая аптека на площади.",
        ),
    ),
    Language(
        "Hindi",
        ("अनन्या जोशी", "रोहन मेहता"),
        "नमस्ते, मेरा नाम {guest} है, मैंने एक बिस्तर बुक किया है, लगभग {hour} बजे पहुँचना है। मेरा कमरा कौन सा है?",
        "स्वागत है, {guest}! आपका कमरा {room} है और आपका लॉकर नंबर {locker} है।",
        (
            ("क्या यहाँ मेहमानों के लिए रसोई है?", "हाँ, भूतल पर। खाना बनाने के बाद कृपया बर्तन धो दें।"),
            ("गीले जूते कहाँ सुखा सकते हैं?", "बॉयलर के बगल वाले कमरे में; वहाँ दिन-रात गरम रहता है।"),
            ("पुराने बंदरगाह कैसे जाएँ?", "नुक्कड़ से ट्राम {tram} लीजिए, पंद्रह मिनट लगते हैं।"),
            ("क्या देर से चेक-आउट हो सकता है?", "दोपहर बारह बजे तक मुफ़्त, अगर एक शाम पहले बता दें।"),
        ),
        ("मेरा लॉकर नंबर क्या था?", "{guest}, आपका लॉकर नंबर {locker} है।"),
        (
            "नाश्ता सात से दस बजे तक मिलता है।",
            "वाई-फ़ाई का पासवर्ड आपके कार्ड के पीछे लिखा है।",
            "रात ग्यारह बजे के बाद कृपया शांति रखें।",
            "बारिश हो तो दरवाज़े के पास छाते रखे हैं।",
            "तौलिये का किराया दो यूरो है।",
            "सबसे पास की दवा की दुकान चौक पर है।",
        ),
    ),
    Language(
        "Thai",
        ("พิมพ์ชนก ศรีสุข", "ธนกร วัฒนา"),
        "สวัสดี ฉันชื่อ{guest} จองเตียงไว้หนึ่งเตียง จะไปถึงประมาณ {hour} ห้องของฉันอยู่ไหน",
        "ยินดีต้อนรับคุณ{guest} ห้องของคุณคือ {room} และตู้ล็อกเกอร์หมายเลข {locker}",
        (
            ("มีครัวให้ใช้ไหม", "มี อยู่ชั้นล่าง ทำอาหารเสร็จแล้วกรุณาล้างจาน"),
            ("ตากรองเท้าเปียกได้ที่ไหน", "ห้องข้างหม้อต้มน้ำ อุ่นทั้งวันทั้งคืน"),
            ("ไปท่าเรือเก่ายังไง", "นั่งรถรางสาย {tram} จากหัวมุม ใช้เวลาสิบห้านาที"),
            ("เช็คเอาท์ช้าได้ไหม", "ได้ถึงเที่ยงโดยไม่คิดเงิน ถ้าบอกเราก่อนหนึ่งคืน"),
        ),
        ("ล็อกเกอร์ของฉันหมายเลขอะไรนะ", "ล็อกเกอร์ของคุณ{guest}คือหมายเลข {locker}"),
        (
            "อาหารเช้าตั้งแต่เจ็ดโมงถึงสิบโมง",
            "รหัสไวไฟอยู่ด้านหลังคีย์การ์ด",
            "หลังห้าทุ่มกรุณางดเสียงดัง",
            "ถ้าฝนตก มีร่มอยู่ข้างประตู",
            "ผ้าเช็ดตัวผืนละสองยูโร",
            "ร้านขายยาที่ใกล้ที่สุดอยู่ที่จัตุรัส",
        ),
    ),
)


@dataclass(frozen=True)
class Stay:
    """A guest's language and booking."""

    language: Language
    facts: dict[str, str]

    def fill(self, template: str) -> str:
        return template.format(**self.facts)


@register("generator", title="Several languages")
def multilingual(*, turns: Turns = 40, words: Words = 25, seed: Seed = 0) -> Conversation:
    """Guests of a hostel who write in eight languages and scripts, with emoji: tokens per character differ a lot."""
    dice = Dice(seed)
    stays = [_draw_stay(dice, language) for language in dice.several(LANGUAGES, len(LANGUAGES))]
    script = Script(
        "You are the front desk of the Lighthouse Hostel. Guests share one tablet: answer each in the language of the "
        "message, look bookings up before you name a room, and be brief."
    )
    for turn in range(turns - 1):
        if turn < len(stays):
            _check_in(script, dice, stays[turn], words)
            continue
        stay = dice.pick(stays)
        question, answer = stay.language.recall if dice.below(6) == 0 else dice.pick(stay.language.talk)
        script.user(stay.fill(question))
        _answer(script, dice, stay, answer, words)
    first = stays[0]
    last = f"One last question from the night desk: which locker has the guest who wrote in {first.language.name}?"
    script.user(last if turns > 1 else first.fill(first.language.check_in))
    return Conversation(script.messages, f"several languages, {turns} turns, seed {seed}")


def _draw_stay(dice: Dice, language: Language) -> Stay:
    facts = {
        "guest": dice.pick(language.guests),
        "hour": f"{dice.between(14, 22)}:{dice.between(10, 55)}",
        "room": f"{dice.between(1, 4)}{dice.between(10, 29)}",
        "locker": str(dice.between(500, 999)),
        "tram": str(dice.between(2, 19)),
    }
    return Stay(language, facts)


def _check_in(script: Script, dice: Dice, stay: Stay, words: int) -> None:
    booking = {name: stay.facts[name] for name in ("guest", "room", "locker")}
    script.user(stay.fill(stay.language.check_in))
    arguments = {"guest": stay.facts["guest"]}
    script.call("", ("find_booking", arguments, json.dumps(booking, ensure_ascii=False)))
    _answer(script, dice, stay, stay.language.welcome, words)


def _answer(script: Script, dice: Dice, stay: Stay, text: str, words: int) -> None:
    """The answer, further sentences to about that many words in English, and often an emoji."""
    further = dice.several(stay.language.further, len(stay.language.further))
    count = max(0, round((words - ANSWER) / SENTENCE))
    said = [stay.fill(text), *(further * (count // len(further) + 1))[:count]]
    script.assistant(stay.language.space.join(said) + (f" {dice.pick(EMOJI)}" if dice.below(2) else ""))
