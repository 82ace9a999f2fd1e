"""A second implementation of what an app stores beside its ciphertexts, which shares no code with the packages.

It writes fields.json, key-file.json and evidence.json: `python3 columns.py`. It needs Python 3.11 or later and nothing else. Files
that exist are frozen: it compares them, and writes only those that are missing.
"""

import base64
import hashlib
import hmac as hmac_of
import json
import math
import pathlib
import re
import struct
import unicodedata
import uuid
from datetime import datetime, timezone

# --- bytes -----------------------------------------------------------------------------------------------------------


def sha256(data):
    return hashlib.sha256(data).digest()


def hmac(key, data):
    return hmac_of.new(key, data, hashlib.sha256).digest()


def hkdf(ikm, info, length):
    """HKDF-SHA-256 without salt (RFC 5869)."""
    prk, out, block = hmac(bytes(32), ikm), b"", b""
    for n in range(1, -(-length // 32) + 1):
        block = hmac(prk, block + info + bytes([n]))
        out += block
    return out[:length]


def u32(number):
    return struct.pack(">I", number)


def pae(*parts):
    out = u32(len(parts))
    for part in parts:
        if part is None:
            out += b"\xff\xff\xff\xff"
            continue
        data = part if isinstance(part, bytes) else str(part).encode()
        out += u32(len(data)) + data
    return out


def encode_context(context):
    pairs = sorted((name.encode(), value.encode()) for name, value in (context or {}).items())
    return pae(*(part for pair in pairs for part in pair))


def b64(data):
    return base64.b64encode(data).decode()


def drawn(name, length=32):
    """What would be random: each name has its own bytes."""
    return hkdf(b"not random", name.encode(), length)


# --- AES-256-GCM, as FIPS 197 and SP 800-38D describe it: slow, and not safe against who measures its time -------------


def xtime(byte):
    return ((byte << 1) ^ 0x11B if byte & 0x80 else byte << 1) & 0xFF


def times(one, other):
    product = 0
    while other:
        product ^= one if other & 1 else 0
        one, other = xtime(one), other >> 1
    return product


def sbox_of(byte):
    inverse = next((each for each in range(256) if times(byte, each) == 1), 0)
    rotated = (inverse << 8 | inverse) >> 4
    return (inverse ^ rotated ^ (inverse << 8 | inverse) >> 5 ^ (inverse << 8 | inverse) >> 6 ^ (inverse << 8 | inverse) >> 7 ^ 0x63) & 0xFF


SBOX = [sbox_of(byte) for byte in range(256)]


def round_keys(key):
    words = [list(key[at : at + 4]) for at in range(0, 32, 4)]
    rcon = 1
    for at in range(8, 60):
        word = words[at - 1]
        if at % 8 == 0:
            word = [SBOX[each] for each in word[1:] + word[:1]]
            word[0] ^= rcon
            rcon = xtime(rcon)
        elif at % 8 == 4:
            word = [SBOX[each] for each in word]
        words.append([a ^ b for a, b in zip(word, words[at - 8])])
    return [sum(words[at : at + 4], []) for at in range(0, 60, 4)]


def aes(keys, block):
    state = [a ^ b for a, b in zip(block, keys[0])]
    for nth, key in enumerate(keys[1:], 1):
        state = [SBOX[state[(at + 4 * (at % 4)) % 16]] for at in range(16)]
        if nth < len(keys) - 1:
            mixed = []
            for at in range(0, 16, 4):
                a, b, c, d = state[at : at + 4]
                every = a ^ b ^ c ^ d
                mixed += [one ^ every ^ xtime(one ^ next_) for one, next_ in ((a, b), (b, c), (c, d), (d, a))]
            state = mixed
        state = [a ^ b for a, b in zip(state, key)]
    return bytes(state)


def ghash(h, data):
    h, y = int.from_bytes(h, "big"), 0
    for at in range(0, len(data), 16):
        y ^= int.from_bytes(data[at : at + 16], "big")
        z, v = 0, h
        for bit in range(127, -1, -1):
            z ^= v if y >> bit & 1 else 0
            v = v >> 1 ^ (0xE1 << 120 if v & 1 else 0)
        y = z
    return y.to_bytes(16, "big")


def padded(data):
    return data + bytes(-len(data) % 16)


def gcm(key, iv, aad, plaintext):
    """Returns the ciphertext with its tag."""
    keys = round_keys(key)
    stream = b"".join(aes(keys, iv + u32(2 + nth)) for nth in range(-(-len(plaintext) // 16)))
    body = bytes(a ^ b for a, b in zip(plaintext, stream))
    lengths = struct.pack(">QQ", 8 * len(aad), 8 * len(body))
    s = ghash(aes(keys, bytes(16)), padded(aad) + padded(body) + lengths)
    return body + bytes(a ^ b for a, b in zip(s, aes(keys, iv + u32(1))))


# Test case 16 of the paper by McGrew and Viega.
assert gcm(
    bytes.fromhex("feffe9928665731c6d6a8f9467308308" * 2),
    bytes.fromhex("cafebabefacedbaddecaf888"),
    bytes.fromhex("feedfacedeadbeeffeedfacedeadbeefabaddad2"),
    bytes.fromhex(
        "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a721c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39"
    ),
)[-16:].hex() == "76fc6ece0f4e1768cddf8853bb2d551b"

# --- sealed secrets and envelopes --------------------------------------------------------------------------------------


def seal(ikm, purpose, tenant, key, version, secret, name, context=None):
    """A sealed secret of 78 bytes, as sealed-secret.json has them. `name` says which salt it has."""
    salt = drawn(f"salt {name}", 24)
    head = b"\x01\x01" + u32(version) + salt
    k = hmac(ikm, pae("eaas wrap v1", tenant, key, version, purpose, salt))
    return head + gcm(k, bytes(12), pae(head, encode_context(context)), secret)


def envelope(key_id, key_version, wrapped_key, dek, iv, context, plaintext):
    """The envelope, version 1, in base64."""
    bound = bytes.fromhex("79a6ac01") + uuid.UUID(key_id).bytes
    derived = hkdf(dek, b"eaas envelope v1", 64)
    body = gcm(derived[:32], iv, bound + encode_context(context), plaintext)
    return b64(bound + u32(key_version) + struct.pack(">H", len(wrapped_key)) + wrapped_key + iv + derived[32:] + body)


# --- Unicode -----------------------------------------------------------------------------------------------------------

# What Unicode assigned after version 15.0, and a text may have anyway: it passes as it is, and is no part of a word.
LATER = set("\ua7cb\u1c89\U00010d50\U0001fac6\U000105c9\U000105d2\u0897")


def check(text):
    """Python knows its own version of Unicode. What it does not know must be what no version up to 15.0 has."""
    for one in text:
        known = unicodedata.category(one) != "Cn"
        assert known != (one in LATER), f"U+{ord(one):04X}"
    return text


WHITE = set("\t\n\v\f\r \xa0\u1680\u2028\u2029\u202f\u205f\u3000\ufeff") | {chr(code) for code in range(0x2000, 0x200B)}


def pieces(text):
    """Maximal runs of what is known, and of what is not: each is normalized by itself."""
    for later, run in re.findall("([%s]+)|([^%s]+)" % (("".join(LATER),) * 2), text):
        yield later or None, run


def known_only(change):
    return lambda text: "".join(later or change(run) for later, run in pieces(text))


def without_accents(text):
    return unicodedata.normalize("NFC", re.sub("[\u0300-\u036f]", "", unicodedata.normalize("NFD", text)))


def squeezed(text):
    out = ""
    for one in text:
        one = " " if one in WHITE else one
        out += "" if one == " " and out.endswith(" ") else one
    return out


NORMALIZE = {
    "trim": lambda text: text.strip("".join(WHITE)),
    "spaces": squeezed,
    # Each character by itself, so that no context decides. The two small sigmas are one letter.
    "lowercase": known_only(lambda text: "".join("\u03c3" if one == "\u03c2" else one.lower() for one in text)),
    "accents": known_only(without_accents),
    "digits": lambda text: "".join(one for one in text if one in "0123456789"),
    "nfc": known_only(lambda text: unicodedata.normalize("NFC", text)),
    "nfkc": known_only(lambda text: unicodedata.normalize("NFKC", text)),
}
USUAL = ["nfkc", "lowercase", "accents", "spaces", "trim"]


def normalized(text, steps):
    check(text)
    for step in steps:
        text = NORMALIZE[step](text)
    return text


def words_of(text):
    found, word = [], ""
    for one in text + " ":
        if one not in LATER and unicodedata.category(one)[0] in "LMN":
            word += one
            continue
        if word and word not in found:
            found.append(word)
        word = ""
    return found


# --- values of fields ----------------------------------------------------------------------------------------------------


def milliseconds(date):
    parsed = datetime.fromisoformat(date.replace("Z", "+00:00"))
    return round((parsed - datetime(1970, 1, 1, tzinfo=timezone.utc)).total_seconds() * 1000)


def number_bytes(text):
    number = float(text)
    return b"\xf8" + (b"\x7f\xf8" + bytes(6) if math.isnan(number) else struct.pack(">d", number))


def bigint_bytes(text):
    number = int(text)
    size = -(-abs(number).bit_length() // 8)
    return b"\xf9" + bytes([number < 0]) + abs(number).to_bytes(size, "big")


# `value` is written as text in JSON, because JSON has no NaN, no -0 and no Date. A boolean is a boolean.
ENCODE = {
    "text": lambda value: value.encode(),
    "number": number_bytes,
    "bigint": bigint_bytes,
    "boolean": lambda value: b"\xfa" + bytes([value]),
    "date": lambda value: b"\xfb" + struct.pack(">q", milliseconds(value)),
    "bytes": lambda value: b"\xfc" + bytes.fromhex(value),
    "json": lambda value: b"\xfd" + value.encode(),
}

VALUES = [
    ("text", "Ada", None),
    ("text", "", "empty"),
    ("text", "\ufb01sh, cafe\u0301, \U0001f469\u200d\U0001f680, \ufeff\x00", "never normalized"),
    ("number", "61000", None),
    ("number", "-0.1", None),
    ("number", "0", None),
    ("number", "-0", "keeps its sign"),
    ("number", "NaN", "always the same bytes"),
    ("number", "Infinity", None),
    ("number", "5e-324", "the smallest"),
    ("bigint", "0", "no digits"),
    ("bigint", "-1", None),
    ("bigint", "255", "one byte"),
    ("bigint", "256", "two bytes"),
    ("bigint", "-18446744073709551616", None),
    ("boolean", False, None),
    ("boolean", True, None),
    ("date", "1970-01-01T00:00:00.000Z", None),
    ("date", "1815-12-10T00:00:00.000Z", "before 1970"),
    ("date", "2026-11-30T17:15:00.001Z", None),
    ("bytes", "", "empty"),
    ("bytes", "f800ff", None),
    ("json", 'null', None),
    ("json", '{"b":1,"a":["x",null,-0],"é":"\\u2028\\n"}'.replace("\\u2028", "\u2028"), "members in the order in which they came"),
    ("json", '1e+21', None),
]


def row_of(kind, row):
    """The id of a row as text."""
    if kind != "text":
        return str(int(row))
    return row.lower() if re.fullmatch(r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){4}[0-9a-fA-F]{8}", row) else row


def stored_id(form, row):
    """What a column of an adapter makes of the text of an id, or None if only the database knows."""
    if form == "uuid":
        digits = re.sub("[-{}]", "", row)
        return str(uuid.UUID(digits)) if re.fullmatch("[0-9a-fA-F]{32}", digits) else None
    if form == "integer":
        return str(int(row)) if re.fullmatch(r"\s*[+-]?\d+\s*", row) else None
    if form == "trimmed":
        return None if row.endswith(" ") else row
    if form == "date":
        return row if re.fullmatch(r"\d{4}-\d\d-\d\d", row) else None
    if isinstance(form, dict):
        return row.rstrip(" ").ljust(form["padded"], " ")
    return None if form == "other" else row


TENANT = "00000000-0000-4000-8000-000000000001"
KEY = "00000000-0000-4000-8000-000000000002"
MATERIAL = [drawn("version 1"), drawn("version 2")]
HASH_KEY = drawn("hash key")
SECRET = drawn("tenant secret")
INDEX_KEY = drawn("index key")
BORN = "1815-12-10T00:00:00.000Z"


def cut(mac, bits):
    kept = mac[: -(-bits // 8)].hex()[: -(-bits // 4)]
    rest = len(kept) * 4 - bits
    return kept[:-1] + "%x" % (int(kept[-1], 16) >> rest << rest)


def month_of(date):
    at = datetime.fromisoformat(date.replace("Z", "+00:00"))
    return at.year * 12 + at.month - 1


def steps_of(size, kind):
    return lambda value: str(math.floor(float(value) / float(size)) if kind == "number" else int(value) // int(size))


def range_parts(date, earliest, latest):
    month = month_of(date)
    if month < earliest * 12:
        return ["before"]
    return ["after"] if month > latest * 12 + 11 else [f"year {month // 12}", f"month {month}"]


def range_sought(query, earliest, latest):
    low, high = earliest * 12, latest * 12 + 11
    first = month_of(query["from"]) if "from" in query else -math.inf
    last = month_of(query["to"]) if "to" in query else math.inf
    found = (["before"] if first < low else []) + (["after"] if last > high else [])
    month, end = max(first, low), min(last, high)
    while month <= end:
        whole = month % 12 == 0 and month + 11 <= end
        found.append(f"year {month // 12}" if whole else f"month {month}")
        month += 12 if whole else 1
    return found


def buckets(part, query):
    if not isinstance(query, dict):
        return [part(query)]
    return [str(bucket) for bucket in range(int(part(query["from"])), int(part(query["to"])) + 1)]


def of_text(split, sought=None):
    """The parts of a text and of a query, which are normalized alike."""
    sought = sought or split
    return lambda text, steps: split(normalized(text, steps)), lambda query, steps: sought(normalized(query, steps))


def of_buckets(part):
    return lambda value, _: [part(value)], lambda query, _: buckets(part, query)


def day_of(date):
    return str(milliseconds(date) // 86_400_000)


def ends(length, take):
    return of_text(lambda text: [take(text)] if len(text) >= length else [])


PARTS = {
    "wholeText": lambda: of_text(lambda text: [text] if text else []),
    "firstCharacters": lambda length: ends(length, lambda text: text[:length]),
    "lastCharacters": lambda length: ends(length, lambda text: text[-length:]),
    "prefixes": lambda first, last: of_text(
        lambda text: [text[:length] for length in range(first, min(last, len(text)) + 1)],
        lambda query: [query[:last]],
    ),
    "words": lambda: of_text(words_of),
    "years": lambda: of_buckets(lambda date: date[:4]),
    "months": lambda: of_buckets(lambda date: str(month_of(date))),
    "days": lambda: of_buckets(day_of),
    "dateRange": lambda earliest=1900, latest=2100: (
        lambda date, _: range_parts(date, earliest, latest),
        lambda query, _: range_sought(query, earliest, latest),
    ),
    "steps": lambda size, kind: of_buckets(steps_of(size, kind)),
}


def variable():
    """The keys of a local service as one text, which key-file.json specifies."""
    sealing = hkdf(SECRET, pae("eaas tenant v1", TENANT, "sealing"), 32)
    versions = [
        {"created_at": 1764025200000 + nth, "sealed": b64(seal(sealing, "key-version", TENANT, KEY, nth + 1, each, f"variable {nth}"))}
        for nth, each in enumerate(MATERIAL)
    ]
    versions[1]["from"] = 1764025300000
    key = kept_key(KEY, "default", 2, rotated_at=1764025200001)
    key |= {"hash_key": b64(seal(sealing, "hash-key", TENANT, KEY, 0, HASH_KEY, "variable hash")), "versions": versions}
    lock = {"kind": "none"}
    return "eaas_local_" + b64(key_file(1, TENANT, lock, SECRET, b64(SECRET), [key], [], None).encode())


def kept_key(key_id, name, version, **other):
    usual = {"status": "active", "exportable": False, "created_at": 1764025200000, "rotated_at": None, "interval_days": None}
    usual |= {"next_rotation_at": None, "destroy_at": None, "min_version": 1, "subjects": "optional", "intake": False}
    return {"key_id": key_id, "name": name, "key_version": version} | usual | other


def compact(value):
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)


def key_file(version, tenant, lock, secret, stored_secret, keys, subjects, indent=2, more=None):
    content = {"format": "eaas-local", "version": version, "tenant_id": tenant, "lock": lock, "tenant_secret": stored_secret}
    content |= {"keys": keys} | ({} if subjects is None else {"subjects": subjects}) | (more or {})
    mac = hmac(hkdf(secret, pae("eaas tenant v1", tenant, "local-file"), 32), compact(content).encode())
    whole = content | {"mac": b64(mac)}
    return compact(whole) if indent is None else json.dumps(whole, indent=2, ensure_ascii=False) + "\n"


def fields():
    def cell(nth, table, field, kind, row, bound, of, value):
        context = {"table": table, "field": field} | ({"row": row_of(kind, row)} if bound == "row" else {})
        dek, version = drawn(f"dek {nth}"), 1 + nth % 2
        wrapped = seal(MATERIAL[version - 1], "dek", TENANT, KEY, version, dek, f"dek {nth}")
        sealed = envelope(KEY, version, wrapped, dek, drawn(f"iv {nth}", 12), context, ENCODE[of](value))
        id_ = {"id": kind, "row": row} | ({} if bound == "row" else {"bound": "field"})
        return {"table": table, "field": field} | id_ | {"context": context, "type": of, "value": value, "ciphertext": sealed}

    places = [
        ("patients", "ssn", "text", "4711", "row"),
        ("patients", "ssn", "number", "4711", "row"),
        ("patients", "ssn", "bigint", "9007199254740993", "row"),
        ("patients", "ssn", "number", "-1", "row"),
        ("patients", "ssn", "text", "007", "row"),
        ("patients", "ssn", "text", "B8A0F3C6-6A5F-4A53-9E0F-3F4D8F2F6A10", "row"),
        ("patients", "ssn", "text", "b8a0f3c6-6a5f-4a53-9e0f-3f4d8f2f6a10", "row"),
        ("patients", "ssn", "text", "{B8A0F3C6-6A5F-4A53-9E0F-3F4D8F2F6A10}", "row"),
        ("patients", "ssn", "text", "B8A0F3C66A5F4A539E0F3F4D8F2F6A10", "row"),
        ("patients", "ssn", "text", " Ada ", "row"),
        ("patients", "ssn", "text", "Zoe\u0308", "row"),
        ("patients", "ssn", "text", "x" * 64, "row"),
        ("patients", "ssn", "text", "x" * 65, "row"),
        ("a.b", "é \U0001f511", "text", "1", "row"),
        ("patients", "ssn", "text", "4711", "field"),
    ]
    kinds = [("text", "Ada"), ("date", BORN), ("json", '{"tags":["x"]}'), ("number", "1.5"), ("bigint", "-5"), ("boolean", True), ("bytes", "00ff")]
    cells = [cell(nth, *place, *kinds[nth % len(kinds)]) for nth, place in enumerate(places)]

    ids = [
        {"form": form, "id": row, "row": stored_id(form, row)}
        for form, row in [
            ("uuid", "B8A0F3C6-6A5F-4A53-9E0F-3F4D8F2F6A10"),
            ("uuid", "{b8a0f3c66a5f4a539e0f3f4d8f2f6a10}"),
            ("uuid", "4711"),
            ("integer", " +007 "),
            ("integer", "-0"),
            ("integer", "9007199254740993"),
            ("integer", "1.5"),
            ("date", "2026-11-30"),
            ("date", "30.11.2026"),
            ("text", "Ada "),
            ("folded", "Ada"),
            ("trimmed", "Ada"),
            ("trimmed", "Ada "),
            ({"padded": 5}, "Ada  "),
            ({"padded": 5}, "\U0001f511"),
            ("other", "Ada"),
        ]
    ]

    # Each text shows what an implementation can get wrong: the step must give exactly this.
    texts = {
        "nfc": ["\ufb01sh", "cafe\u0301", "caf\u00e9", "\u212b\u2126", "\u1112\u1161\u11ab", "\uf900", "q\u0323\u0307", "q\u0307\u0323", "\u0958"]
        + ["e\ua7cb\u0301", "\uff21", "\U0001f469\u200d\U0001f680", "\U000105c9", "\U000105d2\u0307", "a\u0897\u0323", "a\u0302\u0897\u0323"],
        "nfkc": ["\ufb01sh", "\uff21\uff11\u3000\uff9e", "\u00bd\u00b2\u2122", "\u017f", "\u0132", "\ufdfa", "e\U0001fac6\u0301", "\u2460\u33a1", "\u1e9b\u0323"],
        "lowercase": ["ADA", "\u0130I\u0131", "\u039f\u0394\u039f\u03a3 \u039f\u0394\u039f\u03a3", "\u03c2\u03c3\u03a3", "\u1e9eSS", "\u212a\u212b", "\u01c5\u01c4"]
        + ["\u13a0\uab70", "\u10a0\u1c90", "\U00010400", "\ua7cb\u1c89\U00010d50", "\u24b6\u2160", "\u03a3:A \u03a3'\u03a3", "\ufb01\uff21", "\u1fbc"],
        "accents": ["No\u00ebl", "Noe\u0308l", "\u00d8\u0142\u00df", "\u0439\u0451", "\u03ac\u1f82", "\u1ec7", "\u05e9\u05c1", "\u0e01\u0e49", "\uac00", "\ufb01\u0301", "e\ua7cb\u0301"],
        "spaces": ["a \t\r\n\u3000b", "a\u200bb", "\u00a0\u2003a", "a\u180eb", "a\u0085b", "\ufeff \ufeffa"],
        "trim": [" a b\u3000", "\ufeff\u2028a\u00a0", "\u200ba\u200b", "\u0085a", "\x1fa\x1f"],
        "digits": ["+44 (0)20", "\u0661\uff11\u00b21"],
    }
    steps = [{"steps": [step], "text": text, "result": normalized(text, [step])} for step in texts for text in texts[step]]
    usual = ["\ufb01sh", "  \uff21da\u3000 KING-No\u00ebl ", "\u0130stanbul", "\u039f\u0394\u039f\u03a3", "stra\u00dfe", "\u1e9e", "na\u00efve \U0001f469\u200d\U0001f680", "\ua7cb\u0301A"]
    steps += [{"steps": USUAL, "text": text, "result": normalized(text, USUAL)} for text in usual]
    for each in steps:
        check(each["result"])

    split = ["O'Neil", "O\u2019Neil \u02bcabc", "don't", "Ada King-No\u00ebl", "e_mail@x.de", "3,14 x\u00b2 \u00bd", "\u6771\u4eac \u5927\u5b66", "\u0e2a\u0e27\u0e31\u0e2a\u0e14\u0e35"]
    split += ["\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645", "\u0915\u094d\u200d\u0937", "\U0001f469\u200d\U0001f680\U0001f3fd x", "a\u0301b \u0301", "a\ua7cbb", "a\u0897b", "a.b ada a", "\u2460\u2164", "\u05d9\u05f3\u05f4", "\u30fb\u30fc", "a\u00adb\u00b7c", " - "]
    words = [{"text": check(text), "words": words_of(text)} for text in split]

    def whole(name, field, of, value, compared=None, table="patients", bits=256, bound=None, normalize=None):
        """`compared` are the bytes that count, if they are not those of the value."""
        if of == "text":
            compared = normalized(value, normalize or []).encode()
        data = ENCODE[of](value) if compared is None else compared
        preimage = pae("eaas field index v1", *(bound or [table, field]), data)
        options = ({} if normalize is None else {"normalize": normalize}) | ({} if bits == 256 else {"bits": bits})
        options |= {} if bound is None else {"boundTo": {"table": bound[0], "field": bound[1]}}
        return {
            "name": name, "table": table, "field": field, "type": of, "options": options, "value": value, "bytes": data.hex(),
            "fingerprint": cut(hmac(INDEX_KEY, preimage), bits),
            "by_service": cut(hmac(HASH_KEY, b64(preimage).encode()), bits),
        }

    wholes = [
        whole("a text", "ssn", "text", "123-45-6789"),
        whole("a text that nothing normalizes", "ssn", "text", " \ufb01sh CAFE\u0301"),
        whole("digits", "ssn", "text", "123-45 6789", normalize=["digits"]),
        whole("several steps", "email", "text", " ADA@Example.com", normalize=["trim", "lowercase"]),
        whole("NFC, which leaves a ligature", "email", "text", "\ufb01sh cafe\u0301", normalize=["nfc"]),
        whole("NFKC, which does not", "email", "text", "\ufb01sh cafe\u0301", normalize=["nfkc"]),
        whole("a final sigma", "email", "text", "\u039f\u0394\u039f\u03a3", normalize=["lowercase"]),
        whole("a number", "age", "number", "36"),
        whole("-0, which a search for 0 finds", "age", "number", "-0", ENCODE["number"]("0")),
        whole("NaN", "age", "number", "NaN"),
        whole("a bigint", "account", "bigint", "-18446744073709551616"),
        whole("a boolean", "member", "boolean", True),
        whole("a date", "born", "date", BORN),
        whole("1 bit", "born", "date", BORN, bits=1),
        whole("5 bits", "born", "date", BORN, bits=5),
        whole("128 bits", "born", "date", BORN, bits=128),
        whole("255 bits", "born", "date", BORN, bits=255),
        whole("joined with another field", "sent_to", "text", "ada@example.com", table="invites", bound=["patients", "email"]),
    ]

    def part(name, field, of, index, arguments, value, queries, options=None):
        options = options or {}
        given = [*arguments] if index != "steps" else [*arguments, of]
        if index == "dateRange":
            given = [options.get("earliest", 1900), options.get("latest", 2100)]
        parts_of, sought_by = PARTS[index](*given)
        use, bits = options.get("normalize", USUAL), options.get("bits", 256)
        stored = parts_of(value, use)
        searches = [{"query": query, "parts": sought_by(query, use)} for query in queries]
        every = dict.fromkeys(stored + [each for search in searches for each in search["parts"]])
        labels = ["eaas part index v1", "patients", field, name]
        marks = {each: cut(hmac(INDEX_KEY, pae(*labels, each)), bits) for each in every}
        return {
            "index": name, "field": field, "type": of, "part": index, "arguments": arguments, "options": options, "value": value,
            "parts": stored, "searches": searches, "fingerprints": marks,
        }

    parts = [
        part("whole", "name", "text", "wholeText", [], "Ada  KING-No\u00ebl", ["ada king-noel"]),
        part("first", "name", "text", "firstCharacters", [3], "\U0001f469\u200d\U0001f680 x", ["\U0001f469\u200d\U0001f680y"]),
        part("last4", "ssn", "text", "lastCharacters", [4], "123-45-6789", ["6789", "x6789"], {"bits": 20}),
        part("last2", "name", "text", "lastCharacters", [2], "caf\u00e9", ["E\u0301FE\u0301"], {"normalize": ["lowercase", "nfc"]}),
        part("start", "name", "text", "prefixes", [2, 4], "\ufb01shing", ["FI", "fishmonger"]),
        part("words", "name", "text", "words", [], "Ada O\u2019Neil, ada KING-No\u00ebl 2", ["noel o'neil", "ADA"]),
        part("exact", "name", "text", "words", [], "Ada ada \ufb01sh", ["\ufb01sh ada"], {"normalize": ["nfc"]}),
        part("year", "born", "date", "years", [], BORN, [BORN, {"from": "1814-12-31T23:59:59.999Z", "to": "1815-01-01T00:00:00.000Z"}]),
        part("month", "born", "date", "months", [], BORN, [{"from": "1815-11-30T23:59:59.999Z", "to": "1816-01-01T00:00:00.000Z"}]),
        part("day", "born", "date", "days", [], "1969-12-31T23:59:59.999Z", [{"from": "1969-12-30T00:00:00.000Z", "to": "1970-01-01T12:00:00.000Z"}]),
        part("range", "born", "date", "dateRange", [], "1977-05-05T00:00:00.000Z", [{"from": "1976-11-02T00:00:00.000Z", "to": "1979-02-01T00:00:00.000Z"}, {"to": "1900-03-01T00:00:00.000Z"}, {"from": "2100-12-31T00:00:00.000Z"}]),
        part("early", "born", "date", "dateRange", [], BORN, [{"to": BORN}]),
        part("late", "born", "date", "dateRange", [], "2101-01-01T00:00:00.000Z", [{"from": "2027-01-01T00:00:00.000Z"}], {"latest": 2030, "earliest": 2020}),
        part("band", "income", "number", "steps", ["10000"], "61000", ["60000", {"from": "-0.5", "to": "10000"}]),
        part("fine", "income", "number", "steps", ["0.1"], "-0.30000000000000004", ["-0.3"]),
        part("big", "account", "bigint", "steps", ["1000"], "-1", [{"from": "-1001", "to": "0"}]),
    ]

    def combined(values, sought):
        """An index of several fields: a list of their bytes."""
        folded = {name: (of, normalized(value, USUAL) if of == "text" else value) for name, (of, value) in values.items()}
        data = [ENCODE[of]("0" if (of, value) == ("number", "-0") else value) for of, value in folded.values()]
        mac = hmac(INDEX_KEY, pae("eaas part index v1", "patients", "name", "and_others", pae(*data)))
        shown = {name: {"type": of, "value": value} for name, (of, value) in values.items()}
        return {"field": "name", "index": "and_others", "values": shown, "query": sought, "bytes": pae(*data).hex(), "fingerprint": mac.hex()}

    together = [
        combined(
            {"name": ("text", "Ada KING"), "born": ("date", BORN), "member": ("boolean", True), "age": ("number", "-0")},
            {"name": "\uff21da king", "born": BORN, "member": True, "age": "0"},
        )
    ]

    wrapped = seal(MATERIAL[1], "dek", TENANT, KEY, 2, INDEX_KEY, "index key", {"purpose": "eaas index key v1"})
    unbound = seal(MATERIAL[1], "dek", TENANT, KEY, 2, INDEX_KEY, "index key")
    token = f"eaas_ik_1.{KEY}.2.{b64(wrapped)}"
    refused = {
        "another version": token.replace("_1.", "_2."),
        "a key id in upper case": token.replace("00000000-0000", "A0000000-0000"),
        "without a version of the key": f"eaas_ik_1.{KEY}.{b64(wrapped)}",
        "base64 without padding": token.rstrip("=") + "A",
        "more behind it": token + ".1",
        "white space around it": token + "\n",
        "only a part": token[:-40] + "!",
    }
    return {
        "description": "A column: the bytes of its values, the context of each, what its fingerprints are made of, and the index key.",
        "format": [
            "`variable` has the keys of a local service, as key-file.json says: they open `ciphertext`s and the index key. `index_key.key` and `hash_key` are base64, other bytes hex. A `value` is text: a number and a bigint in decimal, a Date in RFC 3339, bytes in hex, JSON as its text; a boolean is a boolean.",
            "index_key: `token` is `eaas_ik_1.`, the key id, its version and the base64 of the wrapped key, which sealed-secret.json describes, of `key` with the context `wrap_context`. `without_context` was wrapped without it and must not open. Each of `refused` is no token.",
            "values: `bytes` is the plaintext of an envelope. cells: `ciphertext` is the envelope of `value` with `context`. `id` is the type of the row's id in the app. `bound`: \"field\" leaves the row out. ids: what a column with a primary key of this `form` makes of an id that is text, by which its row is named; null if only the database knows.",
            "normalizations: `steps` in order give `result`. Only code points that Unicode 15.0 has assigned are changed, in runs of their own; others pass as they are. lowercase maps each code point by itself, without a context, and the final sigma to the other. words: the words of a text that is normalized already.",
            "wholes: `fingerprint` = HMAC-SHA-256(index key, pae(\"eaas field index v1\", table, field, `bytes`)), with the names of `boundTo` if there are any, in hex, cut to `bits` (256), whose last digit has zeros at its end. `by_service` = HMAC-SHA-256(hash key, base64 of the same pae), as hash.json says.",
            "parts: each of `fingerprints`, by part, is HMAC-SHA-256(index key, pae(\"eaas part index v1\", \"patients\", field, index, part)), cut to `bits`. `parts` are those of `value`, and of each search those to look for. A text is first normalized by the steps nfkc, lowercase, accents, spaces, trim, or `normalize`. combined: the part is `bytes` = pae of the bytes of each field.",
            "An index column stores the fingerprints of its parts sorted, with a space between two.",
        ],
        "variable": variable(), "tenant_id": TENANT, "key_id": KEY, "hash_key": b64(HASH_KEY),
        "index_key": {
            "key": b64(INDEX_KEY), "wrap_context": {"purpose": "eaas index key v1"}, "token": token,
            "without_context": f"eaas_ik_1.{KEY}.2.{b64(unbound)}", "refused": refused,
        },
        "values": [{"type": of, "value": value, "bytes": ENCODE[of](value).hex()} | ({"about": about} if about else {}) for of, value, about in VALUES],
        "cells": cells, "ids": ids, "normalizations": steps, "words": words, "wholes": wholes, "parts": parts, "combined": together,
    }


# --- key files -----------------------------------------------------------------------------------------------------------


def key_files():
    sealing = hkdf(SECRET, pae("eaas tenant v1", TENANT, "sealing"), 32)
    ids = [f"00000000-0000-4000-8000-00000000001{nth}" for nth in range(3)]

    def with_material(key, name, count):
        material = [drawn(f"{name} {nth}") for nth in range(count + 1)]
        key["hash_key"] = b64(seal(sealing, "hash-key", TENANT, key["key_id"], 0, material[0], f"{name} hash"))
        sealed = [b64(seal(sealing, "key-version", TENANT, key["key_id"], nth, material[nth], f"{name} {nth}")) for nth in range(1, count + 1)]
        key["versions"] = [{"created_at": 1764025200000 + nth, "sealed": each} for nth, each in enumerate(sealed)]
        return [b64(each) for each in material]

    def person(name, erased=None):
        subject_id = hmac(hkdf(SECRET, pae("eaas tenant v1", TENANT, "subjects"), 32), name.encode()).hex()
        secret = drawn(f"person {name}")
        sealed = b64(seal(sealing, "subject", TENANT, None, 0, secret, f"person {name}", {"subject": subject_id}))
        row = {"subject_id": subject_id, "created_at": 1764025200005, "erased_at": erased, "sealed": None if erased else sealed}
        return row, None if erased else b64(secret)

    default = kept_key(ids[0], "default", 2, rotated_at=1764025200001, interval_days=90, next_rotation_at=1771801200001, min_version=2)
    contact = kept_key(ids[1], "Kontakt é", 1, exportable=True, intake=True, subjects="required")
    gone = kept_key(ids[2], "gone", 1, status="destroyed") | {"hash_key": None, "versions": [{"created_at": 1764025200002, "sealed": None}]}
    material = [with_material(default, "default", 2), with_material(contact, "contact", 1), [None, None]]
    (ada, of_ada), (bob, of_bob) = person("Ada é"), person("Bob", 1764025200009)

    def locked(kind, key, lock):
        sealed = SECRET if key is None else seal(key, "tenant-secret", TENANT, None, 0, SECRET, f"lock {kind}")
        return key_file(3, TENANT, lock, SECRET, b64(sealed), [default, contact, gone], [ada, bob])

    salt = drawn("scrypt", 16)
    scrypt = lambda passphrase: hashlib.scrypt(passphrase.encode(), salt=salt, n=2**17, r=8, p=1, maxmem=2**28, dklen=32)
    composed, decomposed = "\ufb01sh caf\u00e9", "\ufb01sh cafe\u0301"
    assert unicodedata.normalize("NFC", decomposed) == composed
    passphrase, printed = scrypt(composed), drawn("a program prints this")

    least = {name: default[name] for name in ["key_id", "name", "key_version", "status", "created_at", "hash_key", "versions"]}
    none = {"kind": "none"}
    write = lambda keys, subjects, version=3, lock=none, more=None: key_file(version, TENANT, lock, SECRET, b64(SECRET), keys, subjects, more=more)
    usual = least | {name: value for name, value in kept_key(ids[0], "default", 2).items() if name not in least}
    one_version = lambda **more: [default | {"versions": [version | more for version in default["versions"]]}]
    return {
        "description": "Key files of a local service, with each lock, and the variable: their text, and the secrets in them.",
        "format": [
            "`text` is the whole file, and writing what was opened must give it. `secret` and `material` are base64: of each key its hash key and its versions, of `people` the secrets, null if it is destroyed or erased. packages/local/docs/key-file.md says how the bytes are sealed, sealed-secret.json and people.json how each is.",
            "locks: `passphrases` open a file, in both normal forms of Unicode, and `others` must not: the passphrase is brought to NFC, never to NFKC. `printed` is what the program of the lock prints. Key services lock only variables: local-lock.json.",
            "absent: a file that lacks what has a default must open, and become `written` with the next change: what it lacked comes last. refusals: each has a right `mac`, and must be refused.",
            "variable: `text` is `eaas_local_` and the base64 of its JSON. A version with `from` only decrypts until then.",
        ],
        "tenant_id": TENANT, "secret": b64(SECRET), "material": material, "people": [of_ada, of_bob],
        "locks": [
            {"kind": "none", "text": locked("none", None, none)},
            {"kind": "passphrase", "passphrases": [composed, decomposed], "others": ["fish caf\u00e9"],
             "text": locked("passphrase", passphrase, {"kind": "passphrase", "salt": b64(salt)})},
            {"kind": "key", "printed": b64(printed), "text": locked("key", printed, {"kind": "key"})},
        ],
        "absent": {"text": write([least], None), "written": write([usual], [])},
        "refusals": {
            "another version": write([default], [], version=4),
            "a member that no version has": write([default], [], more={"note": ""}),
            "a member of a key that no version has": write([default | {"note": ""}], []),
            "a member of a key version that no version has": write(one_version(note=""), []),
            "a member of a person that no version has": write([default], [ada | {"note": ""}]),
            "a member of the lock that no version has": write([default], [], lock=none | {"note": ""}),
            "a key without its material": write([{name: value for name, value in default.items() if name != "hash_key"}], []),
        },
        "variable": {"key_id": KEY, "secret": b64(SECRET), "material": [b64(HASH_KEY), *map(b64, MATERIAL)], "text": variable()},
    }


# --- evidence ------------------------------------------------------------------------------------------------------------


def evidence():
    keys = [KEY, "00000000-0000-4000-8000-000000000003"]
    previous = sha256(pae("eaas audit chain v1", TENANT))
    genesis = previous.hex()
    entries, digests = [], []
    actions = [("key.create", 0), ("key.wrap", 0), ("key.unwrap", 1), ("key.unwrap", 0), ("api_key.create", None), ("key.unwrap", 1), ("key.wrap", 0), ("key.unwrap", 0)]
    for nth, (action, key) in enumerate(actions):
        time = f"2026-09-0{1 + nth}T12:00:00.{nth:03}Z"
        metadata = {"context": {"row": "4711", "table": "é \U0001f511"}} if action == "key.unwrap" else {}
        entry = {
            "id": nth + 1, "tenant_id": TENANT, "action": action, "key_id": None if key is None else keys[key], "key_version": None if key is None else 1,
            "actor": "operator" if key is None else f"api_key:{KEY}", "ip_address": None if key is None else "192.0.2.1",
            "metadata": metadata, "created_at": time, "salt": drawn(f"entry {nth}", 16).hex(),
        }
        text = json.dumps(metadata, separators=(",", ":"), sort_keys=True, ensure_ascii=False)
        named = [entry[name] for name in ("id", "action", "key_id", "key_version", "actor", "ip_address")]
        digest = sha256(pae("eaas audit entry v1", bytes.fromhex(entry["salt"]), TENANT, *named, text, milliseconds(time)))
        previous = sha256(pae("eaas audit link v1", previous, digest))
        entries.append(entry | {"hash": previous.hex()})
        digests.append(digest.hex())

    heads = [{"id": 0, "hash": genesis}] + [{"id": entry["id"], "hash": entry["hash"]} for entry in entries]
    hidden = [{"id": nth + 1, "digest": digest} for nth, digest in enumerate(digests)]
    lines = lambda values: "".join(compact(value) + "\n" for value in values)
    period = {"from": "2026-09-03T00:00:00.000Z", "to": "2026-09-05T23:59:59.999Z"}
    part = [heads[0]] + [entry if entry["key_id"] == keys[1] else hidden[nth] for nth, entry in enumerate(entries)]
    changed = [dict(entry) for entry in entries]
    changed[3]["ip_address"] = "192.0.2.2"
    return {
        "description": "Evidence of an audit log: its file of entries, whole and in part, and the heads that it is compared with.",
        "format": [
            "`text` is the file entries.ndjson: a line of JSON ends with LF, without spaces, and has its members in this order. The first line is the head before the first entry, unless that is entry 1. An entry that is not shown has only `digest`. audit-chain.json says how hashes and digests are made.",
            "`entries` is the log. cases: `options` of the evidence give `text`, of a log without a proof. `first`, `last` and `hidden` are what a reader finds, with no fault.",
            "heads: in the file, `line`; as a person keeps it, `id hash`. A reader must find each of `same` in the whole file, and say of each of `other` that the chain has another one.",
            "refusals: a reader must find a fault in each.",
        ],
        "tenant_id": TENANT, "entries": entries,
        "cases": [
            {"name": "whole", "options": {}, "first": 1, "last": 8, "hidden": 0, "text": lines(entries)},
            {"name": "a period", "options": period, "first": 2, "last": 6, "hidden": 0, "text": lines([heads[1]] + entries[1:6])},
            {"name": "a part", "options": {"keyId": keys[1]}, "first": 1, "last": 8, "hidden": 6, "text": lines(part)},
        ],
        "heads": {
            "line": compact(heads[4]), "kept": f"{heads[4]['id']} {heads[4]['hash']}", "same": heads,
            "other": [{"id": 4, "hash": heads[5]["hash"]}],
        },
        "refusals": {
            "an entry that was changed": lines(changed),
            "a member that no hash covers": lines([entry | {"note": ""} for entry in entries]),
            "an entry that was left out": lines(entries[:3] + entries[4:]),
            "an entry without its address": lines([{name: value for name, value in entry.items() if name != "ip_address"} for entry in entries]),
        },
    }


for name, made in {"fields": fields, "key-file": key_files, "evidence": evidence}.items():
    path = pathlib.Path(__file__).with_name(f"{name}.json")
    # ASCII, so that no editor normalizes what it shows.
    text = json.dumps(made(), indent=1, ensure_ascii=True) + "\n"
    if path.exists():
        print(name, "is the same" if path.read_text() == text else "DIFFERS")
    else:
        path.write_text(text)
        print(name, "written")
