"""Shapes of keys: what those of a provider begin with, which signs they are made of, and how many follow at least.

The facts are those that providers publish about their own keys, and that the rules of gitleaks and the plugins of
detect-secrets agree on; a shape asks for fewer characters than are published, as keys grow and shrink. Where a few
letters are all that a key begins with, what follows has to look drawn by lot, so that no word is taken for one.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable
from typing import NamedTuple

ALPHABETS = {
    "letters": "[A-Za-z0-9]",
    "name": "[A-Za-z0-9_-]",
    "dotted": "[A-Za-z0-9_.=-]",
    "hex": "[0-9A-Fa-f]",
    "capitals": "[A-Z0-9]",
    "base64": "[A-Za-z0-9+/=_-]",
}


class KeyShape(NamedTuple):
    """One shape; `only`: no more characters follow; `drawn`: they have to look drawn by lot."""

    whose: str
    prefixes: str
    alphabet: str
    least: int
    only: bool = False
    drawn: bool = False


SHAPES = (
    # models
    KeyShape("OpenAI", "sk-proj- sk-svcacct- sk-admin-", "name", 16),
    KeyShape("OpenAI", "sess-", "letters", 36),
    KeyShape("Anthropic", "sk-ant-", "name", 16),
    KeyShape("OpenRouter, Langfuse, Helicone", "sk-or- sk-lf- sk-helicone-", "name", 16),
    KeyShape("OpenAI, DeepSeek, Stripe and others", "sk- sk_ rk- rk_", "name", 16, drawn=True),
    KeyShape("Google", "AIza", "name", 30),
    KeyShape("Google", "GOCSPX- ya29.", "dotted", 20),
    KeyShape("Google", "AQ.", "dotted", 30, drawn=True),
    KeyShape("Groq, xAI, Perplexity, Replicate", "gsk_ xai- pplx- r8_", "letters", 20),
    KeyShape("Nvidia, Together, Pinecone, Weights & Biases", "nvapi- tgp_v1_ pcsk_ wandb_v1_", "name", 20),
    KeyShape("Hugging Face, Jina", "hf_ api_org_ jina_", "letters", 30),
    KeyShape("Cerebras, Anyscale", "csk- esecret_", "letters", 20),
    KeyShape("Fireworks, Voyage", "fw_ pa-", "name", 20, drawn=True),
    KeyShape("LangSmith, Tavily", "lsv2_ ls__ tvly-", "name", 16),
    KeyShape("Amazon Bedrock", "ABSK bedrock-api-key-", "base64", 40),
    KeyShape("Databricks", "dapi dkea dose", "hex", 32),
    # code and packages
    KeyShape("GitHub", "ghp_ gho_ ghu_ ghs_ ghr_", "letters", 30),
    KeyShape("GitHub", "github_pat_", "name", 22),
    KeyShape("GitLab", "glpat- gldt- glft- glsoat- glrt- glrtr- glptt- glagent- gloas- glffct- glwt-", "dotted", 20),
    KeyShape("GitLab", "glcbt- glimt- GR1348941", "dotted", 20),
    KeyShape("npm", "npm_", "letters", 30),
    KeyShape("PyPI", "pypi-AgE", "name", 40),
    KeyShape("RubyGems, Sonar, Sentry", "rubygems_ squ_ sqp_ sqa_ sntryu_", "hex", 40),
    KeyShape("NuGet", "oy2", "letters", 43, only=True, drawn=True),
    KeyShape("crates.io", "cio", "letters", 32, only=True, drawn=True),
    KeyShape("Clojars, ReadMe", "CLOJARS_ rdme_", "letters", 40),
    KeyShape("Docker, CircleCI, Buildkite", "dckr_pat_ dckr_oat_ CCIPAT_ bkua_", "name", 20),
    KeyShape("Artifactory", "AKCp cmVmd", "letters", 50),
    KeyShape("Sourcegraph", "sgp_", "name", 40),
    # clouds and infrastructure
    KeyShape("AWS", "AKIA ASIA ABIA ACCA A3T", "capitals", 16),
    KeyShape("Alibaba, Tencent", "LTAI AKID", "letters", 16, drawn=True),
    KeyShape("DigitalOcean, Pulumi", "dop_v1_ doo_v1_ dor_v1_ pul-", "hex", 40),
    KeyShape("Heroku, Scalingo, Contentful", "HRKU-AA tk-us- CFPAT-", "name", 40),
    KeyShape("Fly.io", "fo1_ fm1a_ fm1r_ fm2_", "base64", 40),
    KeyShape("Netlify, Neon, Prefect", "nfp_ napi_ pnu_ pnb_", "letters", 20),
    KeyShape("Supabase, Vercel, Tailscale", "sbp_ sb_secret_ vcp_ vck_ tskey-", "name", 16),
    KeyShape("Cloudflare", "v1.0-", "name", 100),
    KeyShape("Vault", "hvs. hvb. hvr.", "dotted", 20),
    KeyShape("Vault", "s.", "letters", 24, only=True, drawn=True),
    KeyShape("Doppler", "dp.pt. dp.st. dp.ct. dp.sa. dp.scim. dp.audit.", "dotted", 20),
    KeyShape("PlanetScale, Typeform", "pscale_tkn_ pscale_pw_ pscale_oauth_ tfp_", "dotted", 30),
    KeyShape("ClickHouse", "4b1d", "letters", 38, only=True, drawn=True),
    KeyShape("Infracost, Adobe", "ico- p8e-", "letters", 32, only=True),
    KeyShape("Dynatrace", "dt0c01. dt0s01. dt0s16.", "dotted", 40),
    KeyShape("Grafana", "glc_ glsa_ eyJrIjoi", "base64", 30),
    KeyShape("New Relic", "NRAK- NRJS- NRII- NRAL-", "name", 16),
    KeyShape("Sentry", "sntrys_", "base64", 40),
    KeyShape("Octopus Deploy", "API-", "capitals", 26, only=True, drawn=True),
    KeyShape("1Password, a web token twice encoded", "ops_eyJ ZXlK", "base64", 60),
    KeyShape("age", "AGE-SECRET-KEY-1", "capitals", 50),
    KeyShape("OpenShift", "sha256~", "name", 40),
    KeyShape("Yandex", "AQVN", "name", 35),
    # messages, documents, payments
    KeyShape("Slack", "xoxa- xoxb- xoxe- xoxo- xoxp- xoxr- xoxs- xoxc- xoxd- xoxe.xoxb- xoxe.xoxp- xapp-", "name", 10),
    KeyShape("SendGrid", "SG.", "dotted", 40, drawn=True),
    KeyShape("Sendinblue, Frame.io, Defined Networking", "xkeysib- xsmtpsib- fio-u- dnkey-", "name", 50),
    KeyShape("Mailgun", "key- pubkey-", "hex", 32, only=True),
    KeyShape("Twilio", "SK AC", "hex", 32, only=True),
    KeyShape("Linear, Notion", "lin_api_ lin_oauth_ ntn_ secret_", "letters", 30),
    KeyShape("Figma, Postman", "figd_ figo_ PMAK- PMAT-", "name", 30),
    KeyShape("HubSpot", "pat-na1- pat-na2- pat-eu1- pat-ap1-", "name", 30),
    KeyShape("Atlassian", "ATATT3 ATCTT3 ATBB", "dotted", 28),
    KeyShape("Dropbox", "sl.", "dotted", 60, drawn=True),
    KeyShape("Stripe", "sk_live_ sk_test_ sk_prod_ rk_live_ rk_test_ rk_prod_", "letters", 10),
    KeyShape("Stripe", "whsec_", "base64", 20),
    KeyShape("Shopify", "shpat_ shpca_ shppa_ shpss_", "hex", 30),
    KeyShape("Shippo", "shippo_live_ shippo_test_", "hex", 40),
    KeyShape("Square", "sq0atp- sq0csp- sq0idp-", "name", 20),
    KeyShape("Square", "EAAA", "name", 60, only=True),
    KeyShape("Facebook", "EAAM EAAC", "letters", 100),
    KeyShape("Plaid", "access-sandbox- access-development- access-production-", "name", 30),
    KeyShape("Duffel, Razorpay", "duffel_test_ duffel_live_ rzp_live_ rzp_test_", "name", 14),
    KeyShape("SettleMint", "sm_aat_ sm_pat_ sm_sat_", "letters", 16),
    KeyShape("EasyPost", "EZAK EZTK", "letters", 50),
    KeyShape("Flutterwave", "FLWSECK_TEST- FLWSECK- FLWPUBK_TEST- FLWPUBK-", "name", 12),
    KeyShape("42", "s-s4t2ud- s-s4t2af-", "hex", 60),
)

FRAMES = (
    r"[A-Za-z0-9]{14}\.atlasv1\.[\w=-]{40,}",  # Terraform
    r"\d{5,16}:A[\w-]{33,}",  # Telegram
    r"[MNO][\w-]{23,27}\.[\w-]{6}\.[\w-]{27,}",  # Discord
    r"(?<=/webhooks/)\d{15,}/[\w-]{40,}",
    r"(?<=hooks\.slack\.com/)(?:services|workflows|triggers)/[\w+/-]{20,}",
    r"(?<=/webhookb2/)[\w-]{20,}@[\w-]{20,}/IncomingWebhook/[\w/-]{20,}",  # Teams
    r"[\w~.-]{3}\dQ~[\w~.-]{31,}",  # Microsoft Entra
    r"1//0[\w-]{30,}",  # Google
    r"A3-[A-Z0-9]{6}-[A-Z0-9-]{11,13}(?:-[A-Z0-9]{5}){3}",  # 1Password
    r"[A-Za-z0-9]{6}_[A-Za-z0-9]{29}_mmk",  # MaxMind
    r"(?:sc|ext|scauth|authress)_[a-z0-9]{5,30}\.[a-z0-9]{4,6}\.acc[_-][a-z0-9-]{10,32}\.[\w+/=-]{30,}",  # Authress
    r"[ps]at\.[\w-]{22}\.[A-Za-z0-9]{24}\.[A-Za-z0-9]{20}",  # Harness
    r"pat[A-Za-z0-9]{14}\.[0-9a-f]{64}",  # Airtable
    r"[pst]k\.[A-Za-z0-9]{60,}\.[\w-]{20,}",  # Mapbox
    r"t1\.[\w-]{20,500}={0,2}\.[\w-]{80,}",  # Yandex
    r"[0-9a-f]{32}-us\d{1,2}(?!\w)",  # Mailchimp
    r"(?<=_)gitlab_session=\w{16,}",
)
"""Shapes that are known by more than how they begin."""

MARKED = (
    # a JSON web token; a run of letters is looked through only if it goes on as one does, so that none takes long
    ("eyJ", r"(?<![\w-])(?=[\w-]+\.[\w-]{10,}\.[\w-]{5,})[\w-]*?\beyJ[\w-]{10,}\.[\w-]{10,}\.[\w-]{5,}"),
    (
        "-----BEGIN",
        r"-----BEGIN [A-Z0-9 ]{0,30}PRIVATE KEY[A-Z ]{0,9}-----(?s:.*?)"
        r"(?:-----END [A-Z0-9 ]{0,30}KEY[A-Z ]{0,9}-----|\Z)",
    ),
    ("PuTTY-", r"PuTTY-User-Key-File-\d(?s:.*?)(?:Private-MAC: *\w+|\Z)"),
    ("://", r"(?<=://)(?!user(?:name)?:pass(?:word)?@)[^\s/:@\"'\\<>{}$]{0,200}:(?!\*+@)[^\s/@\"'\\<>{}$]{1,200}(?=@)"),
    ("ig=|ignature=", r"(?<=[?&;])(?:sig|Signature|X-(?:Amz|Goog)-Signature)=[\w%+/=-]{16,}"),
    ("curl", r"\bcurl\b[^\n]{0,200}? (?:-u|--user)[= ]\\?[\"']?([^\s:\"'$<{+%]{1,80}:[^\s\"'$<{*]{3,200})"),
    ("FlyV1 ", r"\bFlyV1 f[\w+/=,-]{40,}"),
)
"""The parts of a secret that are quickly looked for, any of these, and the pattern that finds it where there is one."""

DRAWN = re.compile(
    r"(?=[A-Za-z]*\d)(?=\d*[A-Za-z])[A-Za-z0-9]{10,}"
    r"|(?<![A-Za-z])(?=[A-Za-z]{16})[A-Za-z]*?(?:[A-Z][a-z][A-Z]|[a-z][A-Z][A-Z]+[a-z])"
)
LONGEST_LOOKED_AT = 200
"""Characters by which a value is judged, as that can take the square of them."""
STAND_IN = re.compile(
    r"(?:\A|[-_. ])(?:your|YOUR|Your)|(?i:placeholder|change.?me|[-_]example|example[-_]|redacted)|x{5}|X{5}|\*{3}"
    r"|\.\.\.|…|\A[<{$%\[(*]|\$[({]|\{\w*\}"
)


def looks_drawn(text: str) -> bool:
    """True if a part of it looks drawn by lot rather than chosen: digits among letters, or large ones among small."""
    return DRAWN.search(text, 0, LONGEST_LOOKED_AT) is not None


def is_stand_in(text: str) -> bool:
    """True of what stands where a key would: "sk-xxxxxxxx", "YOUR_API_KEY", "***", "${TOKEN}"."""
    return len({*text[-10:]} - {*"-_. "}) < 3 or STAND_IN.search(text) is not None


def _key_pattern() -> re.Pattern[str]:
    """All shapes with a prefix in one pattern, by its first letter; what has to look drawn is in a group of a name."""
    found: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for number, shape in enumerate(SHAPES):
        end = f"{{{shape.least}}}(?![A-Za-z0-9])" if shape.only else f"{{{shape.least},}}"
        for n, prefix in enumerate(shape.prefixes.split()):
            group = f"?P<drawn{number}_{n}>" if shape.drawn else "?:"
            found[prefix[0]].append((prefix, f"{re.escape(prefix[1:])}({group}{ALPHABETS[shape.alphabet]}{end})"))
    longest_first = ((first, sorted(pairs, key=lambda pair: -len(pair[0]))) for first, pairs in found.items())
    shapes = [f"{first}(?:{'|'.join(one for _, one in pairs)})" for first, pairs in longest_first]
    return _beginning(shapes)


def _beginning(shapes: Iterable[str]) -> re.Pattern[str]:
    """Any of these at the beginning of a word, or after an escaped line break."""
    return re.compile(rf"(?:(?<![A-Za-z0-9])|(?<=\\[nrt]))(?:{'|'.join(shapes)})")


RUN = re.compile(r"[A-Za-z0-9_.~+/=:@-]{16,}")
"""Signs of which keys are made, as many as a key has at least: only there is one looked for."""
KEYS = (_key_pattern(), _beginning(FRAMES))
MARKS = [(mark, form) for marks, pattern in MARKED for form in [re.compile(pattern)] for mark in marks.split("|")]


def keys_in(text: str) -> list[tuple[int, int]]:
    """Find where keys begin and end."""
    found = []
    for run in RUN.finditer(text):
        for pattern in KEYS:
            reached = run.start()
            while (key := pattern.search(text, reached, run.end())) is not None:
                reached = key.end()
                if not is_stand_in(key[0]) and (key.lastgroup is None or looks_drawn(key[key.lastgroup])):
                    found.append(key.span())
    for pattern in {pattern: mark for mark, pattern in MARKS if mark in text}:
        found += [match.span(pattern.groups) for match in pattern.finditer(text)]
    return found
