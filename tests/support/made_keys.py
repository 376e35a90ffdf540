"""Keys drawn by a seed in the shapes that are published, so that none stands in a file; and places where they stand.

What begins a key, of which signs it is and how many, is as providers, gitleaks and detect-secrets say.
"""

from __future__ import annotations

import json
import re
from base64 import b64encode
from collections.abc import Callable, Sequence
from random import Random
from string import ascii_letters, ascii_lowercase, ascii_uppercase, digits
from typing import Any

SIGNS = {
    "letters": ascii_letters + digits,
    "plain": ascii_letters,
    "small": ascii_lowercase + digits,
    "name": ascii_letters + digits + "-_",
    "hex": digits + "abcdef",
    "large": ascii_uppercase + digits,
    "base32": ascii_uppercase + "234567",
    "base64": ascii_letters + digits + "+/",
    "digits": digits,
}

SHAPES = """
sk-{letters:20}T3BlbkFJ{letters:20}
sk-proj-{name:74}T3BlbkFJ{name:74}
sk-svcacct-{name:58}T3BlbkFJ{name:58}
sk-admin-{name:58}T3BlbkFJ{name:58}
sk-ant-api03-{name:93}AA
sk-ant-admin01-{name:93}AA
sk-ant-oat01-{name:93}AA
sk-or-v1-{hex:64}
sk-{hex:32}
AIza{name:35}
AQ.Ab8RN6{name:46}
GOCSPX-{name:28}
ya29.{name:120}
1//0{name:60}
gsk_{letters:52}
xai-{letters:80}
pplx-{letters:48}
r8_{letters:37}
nvapi-{name:64}
hf_{plain:34}
api_org_{plain:34}
csk-{small:48}
tgp_v1_{name:43}
fw_{letters:24}
pa-{name:43}
jina_{letters:60}
tvly-{letters:32}
lsv2_pt_{hex:32}_{hex:10}
lsv2_sk_{hex:32}_{hex:10}
pcsk_{letters:6}_{letters:60}
ABSK{base64:128}
esecret_{small:26}
dapi{hex:32}
dapi{hex:32}-3
ghp_{letters:36}
gho_{letters:36}
ghu_{letters:36}
ghs_{letters:36}
ghr_{letters:36}
github_pat_{letters:22}_{letters:59}
glpat-{name:20}
glpat-{name:40}.01.0{small:8}
gldt-{name:20}
glft-{name:20}
glsoat-{name:20}
glrt-{name:20}
glptt-{hex:40}
glcbt-{letters:2}_{name:20}
glimt-{name:25}
glagent-{name:50}
gloas-{name:64}
glffct-{name:20}
GR1348941{name:20}
_gitlab_session={small:32}
npm_{letters:36}
pypi-AgEIcHlwaS5vcmc{name:80}
pypi-AgENdGVzdC5weXBpLm9yZw{name:80}
rubygems_{hex:48}
oy2{small:43}
cio{letters:32}
CLOJARS_{small:60}
dckr_pat_{name:27}
CCIPAT_{letters:22}_{hex:40}
squ_{hex:40}
AKCp{letters:69}
cmVmd{letters:59}
sgp_{hex:40}
sgp_{hex:16}_{hex:40}
AKIA{base32:16}
ASIA{base32:16}
ABIA{base32:16}
ACCA{base32:16}
LTAI{small:20}
dop_v1_{hex:64}
doo_v1_{hex:64}
dor_v1_{hex:64}
pul-{hex:40}
HRKU-AA{name:58}
tk-us-{name:48}
CFPAT-{name:43}
fo1_{name:43}
fm1r_{base64:120}
fm2_{base64:120}
nfp_{letters:36}
napi_{small:64}
pnu_{letters:36}
sbp_{hex:40}
vck_{letters:56}
tskey-auth-{letters:11}CNTRL-{letters:32}
v1.0-{hex:24}-{hex:146}
hvs.{name:95}
hvb.{name:150}
s.{letters:24}
dp.pt.{letters:43}
dp.st.dev.{letters:43}
pscale_tkn_{name:43}
pscale_pw_{name:43}
pscale_oauth_{name:43}
tfp_{name:59}
4b1d{letters:38}
ico-{letters:32}
p8e-{small:32}
dt0c01.{large:24}.{large:64}
glc_{base64:80}
glsa_{letters:32}_{hex:8}
eyJrIjoi{letters:80}
NRAK-{large:27}
NRJS-{hex:19}
NRII-{name:32}
sntrys_eyJpYXQiO{base64:60}_{base64:43}
sntryu_{hex:64}
API-{large:26}
ops_eyJ{base64:260}
A3-{large:6}-{large:11}-{large:5}-{large:5}-{large:5}
AGE-SECRET-KEY-1{large:58}
sha256~{name:43}
xoxb-{digits:12}-{digits:12}-{letters:24}
xoxp-{digits:12}-{digits:12}-{digits:12}-{hex:32}
xoxe.xoxp-1-{large:163}
xoxe-1-{large:146}
xoxa-2-{letters:40}
xoxs-{digits:11}-{digits:11}-{digits:11}-{hex:10}
xapp-1-A{large:10}-{digits:13}-{hex:64}
https://hooks.slack.com/services/T{large:8}/B{large:8}/{letters:24}
https://discord.com/api/webhooks/{digits:19}/{name:68}
https://acme.webhook.office.com/webhookb2/{uuid}@{uuid}/IncomingWebhook/{hex:32}/{uuid}
M{letters:23}.{name:6}.{name:27}
{digits:10}:AA{name:33}
SG.{name:22}.{name:43}
xkeysib-{hex:64}-{small:16}
fio-u-{name:64}
dnkey-{name:26}-{name:52}
key-{hex:32}
SK{hex:32}
AC{hex:32}
{hex:32}-us12
lin_api_{letters:40}
ntn_{digits:11}{letters:35}
secret_{letters:43}
figd_{name:40}
PMAK-{hex:24}-{hex:34}
pat-na1-{uuid}
pat{letters:14}.{hex:64}
ATATT3xFfGF0{name:180}={large:8}
ATBB{letters:32}
sl.{name:135}
sk_live_{letters:24}
sk_test_{letters:99}
rk_live_{letters:24}
rk_test_{letters:24}
whsec_{letters:32}
shpat_{hex:32}
shpca_{hex:32}
shppa_{hex:32}
shpss_{hex:32}
shippo_live_{hex:40}
shippo_test_{hex:40}
sq0atp-{name:22}
sq0csp-{name:43}
EAAA{name:60}
EAAC{letters:160}
access-production-{uuid}
duffel_test_{name:43}
rzp_live_{letters:14}
sm_aat_{letters:16}
EZAK{letters:54}
EZTK{letters:54}
FLWSECK_TEST-{hex:32}-X
FLWSECK_TEST-{hex:12}
s-s4t2ud-{hex:64}
rdme_{small:70}
bkua_{hex:40}
AQVN{name:36}
t1.{name:60}.{name:86}
{letters:14}.atlasv1.{name:64}
{letters:3}8Q~{name:34}
{letters:6}_{letters:29}_mmk
sc_{small:20}.{small:5}.acc_{small:20}.{letters:60}
pat.{name:22}.{letters:24}.{letters:20}
pk.{small:60}.{small:22}
eyJ{letters:33}.eyJ{letters:60}.{name:43}
ZXlKaGJHY2lPaU{letters:120}
Bearer {name:43}
Basic {basic}
https://me:{letters:12}@db.example.com/app
redis://:{letters:16}@cache:6379/0
postgresql://app:{letters:10}@db/app
https://x.blob.core.windows.net/c?sv=2024-11-04&sig={letters:43}%3D
AccountName=acme;AccountKey={base64:86}==
Endpoint=sb://acme.net/;SharedAccessKeyName=root;SharedAccessKey={base64:43}=
-----BEGIN RSA PRIVATE KEY-----\\n{base64:64}\\n{base64:64}\\n-----END RSA PRIVATE KEY-----
-----BEGIN OPENSSH PRIVATE KEY-----\\n{base64:70}\\n-----END OPENSSH PRIVATE KEY-----
-----BEGIN PGP PRIVATE KEY BLOCK-----\\n\\n{base64:64}\\n-----END PGP PRIVATE KEY BLOCK-----
-----BEGIN ENCRYPTED PRIVATE KEY-----\\n{base64:64}\\n-----END ENCRYPTED PRIVATE KEY-----
PuTTY-User-Key-File-2: ssh-rsa\\nPrivate-Lines: 1\\n{base64:64}\\nPrivate-MAC: {hex:40}
curl -u me:{letters:12} https://example.com
Cookie: theme=dark; session={letters:32}
Set-Cookie: sid={hex:32}; Path=/; HttpOnly
Authorization: token {hex:40}
""".strip().splitlines()

LINES = """
OPENAI_API_KEY={letters:40}
OPENAI_API_KEY={letters:20}
export ANTHROPIC_API_KEY="{letters:32}"
MISTRAL_API_KEY={letters:32}
COHERE_API_KEY={letters:40}
CO_API_KEY={letters:40}
AZURE_OPENAI_KEY={hex:32}
AWS_SECRET_ACCESS_KEY={base64:40}
aws_secret_access_key = {base64:40}
AWS_SESSION_TOKEN={base64:200}
DATADOG_API_KEY={hex:32}
DB_PASSWORD={word}
DB_PASSWORD='{word}'
PGPASSWORD={word}
MYSQL_PWD={word}
POSTGRES_PASSWORD: {word}
password: {word}
password = "{word}"
"password": "{word}"
{{"db": {{"password": "{word}"}}}}
passwd={word}
REDIS_PASS_PHRASE=x SECRET_KEY={letters:50}
SECRET_KEY_BASE={hex:128}
DJANGO_SECRET_KEY="{letters:50}"
JWT_SECRET={letters:32}
clientSecret: "{letters:40}"
client_secret={letters:40}
apiKey: "{letters:32}"
x-api-key: {letters:32}
api-key: {hex:32}
GITHUB_TOKEN={hex:40}
ACCESS_TOKEN={letters:40}
auth_token = "{letters:32}"
//registry.npmjs.org/:_authToken={uuid}
HEROKU_API_KEY={uuid}
https://example.com/v1?api_key={letters:32}&page=2
tool --token {letters:32} --dry-run
tool --password {word}
tool --api-key={letters:32}
Server=db;User Id=sa;Password={word};Encrypt=yes
private_key = "{base64:60}"
ENCRYPTION_KEY={base64:43}=
WEBHOOK_SECRET={hex:40}
<password>{word}</password>
'Authorization': 'Bearer {letters:40}'
""".strip().splitlines()
"""Lines that name what is secret in them."""

_NAMES = """
{word} password passwd db_password dbPassword secret client_secret clientSecret passphrase pwd pass
{letters:24} token access_token accessToken refresh_token credentials api_key apiKey apikey x-api-key X-API-Key
{letters:24} OPENAI_API_KEY STRIPE_KEY private_key privateKey secret_key aws_secret_access_key connectionString
{bearer} authorization Authorization Proxy-Authorization
{session} cookie Set-Cookie
"""
FIELDS = {name: line.split()[0] for line in _NAMES.strip().splitlines() for name in line.split()[1:]}
"""Names of fields that hold secrets, and of what shape such a one may be."""

LOOK_ALIKES = (
    "the key is under the mat, token by token",
    "password: required",
    "Your password: at least 8 characters, 1 digit",
    "sk-learn and risk-free, sk-learn-extensions-and-more",
    "https://a.b/c:d@e and https://user:password@host/db",
    "commit 3f2a9c1b77de5566aa0b1c2d3e4f5a6b7c8d9e0f of 2026-03-01",
    "id 0b5e1c9e-7d7a-4c62-9d4c-3f9a2b1c7e55, sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    "toolu_01A09q90qw90lq917835lq9 and call_abcDEF123456ghiJKL789mno, chatcmpl-8aB7cD6eF5gH4iJ3kL2mN1oP",
    "token = tokens[i]; token = next_token(stream, 17)",
    'api_key=os.environ["OPENAI_API_KEY"], key=lambda item: item[1]',
    "password = getpass.getpass(); password = config.db.password2",
    "const apiKey = process.env.OPENAI_API_KEY2;",
    "OPENAI_API_KEY=YOUR_API_KEY OPENAI_API_KEY=<key> OPENAI_API_KEY=$OPENAI_API_KEY ANTHROPIC_API_KEY=",
    "OPENAI_API_KEY=sk-xxxxxxxxxxxxxxxxxxxxxxxx DB_PASSWORD=************ sk-your-key-goes-here-1234567890",
    "Authorization: Bearer <token> and Authorization: Bearer ${TOKEN} or Bearer YOUR_API_KEY_GOES_HERE_1",
    "--password $PASSWORD --token-file secrets2.txt --api-key",
    "max_tokens: 100000, total_tokens=128000, next_page_token: CAoQAA1b2c3d4e5f",
    "def f(password: str, token: str | None = None, secret_name: str = 'prod/db2') -> None: ...",
    "primary_key = 'user_id_2024', cache_key=v2_user_12345678, public_key: 9f86d081884c7d65",
    "date -u +%Y-%m-%dT%H:%M:%S and tar --user:group",
    "Basic understanding and basic authentication with a bearer token",
    'headers["Authorization"] = self.make_header(username=info[0], realm2=3)',
    'the header Authorization: "Bearer tokens are explained in RFC 6750"',
    "the token 9f86d081884c7d65 is counted, api_key: 'use-the-gpt-4-one'",
    "ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
    "PASS: test_login_2 and FAIL: test_logout_3",
    "/home/me/.ssh/id_rsa2 is the private_key: /home/me/.ssh/id_rsa2",
)
"""Texts without a secret, that look as if they had one."""

LIKE_FIELDS: tuple[dict[str, Any], ...] = (
    {"properties": {"password": {"type": "string", "minLength": 8}, "token": {"type": "string", "default": ""}}},
    {"required": ["password", "token"], "password": "string", "apiKey": "required", "secret": True},
    {"usage": {"input_tokens": 1234567, "max_tokens": 100000}, "token_count": 123456},
    {"logprobs": {"content": [{"token": " ferry", "logprob": -0.1}]}},
    {"next_page_token": "CAoQAA1b2c3d4e5f6g7h", "cursor": "eyJpZCI6MTIzNDU2Nzg5MH0"},
    {"public_key": "pk-lf-1234abcd1234abcd", "key": "user-12345678", "name": "token", "id": "toolu_01A09q90qw90lq9"},
    {"signature": "EqQBCkYIAxgCKkBh9x7Q2m4z8c1v5b3n6a0s", "api_key": "${API_KEY}", "token": "<token>"},
    {"password": "at least 8 characters", "secret": "/run/db/2"},
    {"password": "", "api_key": None, "secret": "********", "description": "the password of user 12345678"},
)
"""Objects without a secret, that look as if they had one."""


def draw(shape: str, chance: Random) -> tuple[str, list[str]]:
    """A text of this shape, and what of it was drawn."""
    drawn = []

    def part(match: re.Match[str]) -> str:
        signs, _, count = match[1].partition(":")
        drawn.append(_one(signs, int(count or 0), chance))
        return drawn[-1]

    text = re.sub(r"(?<!\{)\{(\w+(?::\d+)?)\}", part, shape.replace("\\n", "\n"))
    return text.replace("{{", "{").replace("}}", "}"), drawn


def is_taken_out(value: Any, drawn: Sequence[str]) -> bool:
    """True if nothing of what was drawn is left, neither its beginning nor its end."""
    left = json.dumps(value)
    parts = (json.dumps(part)[1:-1] for one in drawn if len(one) > 7 for part in (one[:8], one[-8:]))
    return not any(part in left for part in parts)


def _one(signs: str, count: int, chance: Random) -> str:
    if signs == "uuid":
        return "-".join(_one("hex", n, chance) for n in (8, 4, 4, 4, 12))
    if signs == "word":  # as people choose them
        return (
            chance.choice(("correct", "tr", "Summer", "maple")) + str(chance.randint(0, 99)) + _one("small", 6, chance)
        )
    if signs in ("bearer", "session"):
        return ("Bearer " if signs == "bearer" else "session=") + _one("letters", 24, chance)
    if signs == "basic":
        return b64encode(f"me:{_one('letters', 14, chance)}".encode()).decode()
    return "".join(chance.choice(SIGNS[signs]) for _ in range(count))


def _tool_call(text: str) -> Any:
    return {"tool_calls": [{"function": {"name": "run", "arguments": json.dumps({"command": text})}}]}


PLACES: dict[str, Callable[[str], Any]] = {
    "text": lambda text: f"Here it is, {text} and that is all.",
    "line": lambda text: f"A line before\n{text}\nand one after",
    "quoted": lambda text: f"use `{text}` (see below)",
    "object": lambda text: {"input": {"note": text, "n": 1}},
    "list": lambda text: {"items": [1, [text]]},
    "JSON": lambda text: json.dumps({"note": text}),
    "JSON in JSON": lambda text: json.dumps({"body": json.dumps({"note": text})}),
    "JSON in a text": lambda text: f"Result: {json.dumps({'note': text})}",
    "arguments": _tool_call,
    "tool result": lambda text: [
        {"type": "tool_result", "content": [{"type": "text", "text": f"$ env\nA=1\n{text}\n"}]}
    ],
}

HOLDERS: dict[str, Callable[[str, str], Any]] = {
    "object": lambda name, value: {"input": {name: value}},
    "JSON": lambda name, value: json.dumps({"a": {name: value}}),
    "JSON in JSON": lambda name, value: json.dumps({"body": json.dumps({name: value})}),
    "arguments": lambda name, value: {"function": {"arguments": json.dumps({"env": {name: value}})}},
    "names and values": lambda name, value: {
        "headers": [{"name": "accept", "value": "text"}, {"name": name, "value": value}]
    },
    "pairs": lambda name, value: {"headers": [["accept", "text"], [name, value]]},
    "JSON in a text": lambda name, value: f"It says {json.dumps({name: value})}.",
}
"""Objects in which a field of a name holds a value."""
