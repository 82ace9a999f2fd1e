"""Writes src/fields/unicode-15.json: which code points Unicode 15.0 has assigned. Python 3.12 has this version."""

import json
import pathlib
import string
import unicodedata

assert unicodedata.unidata_version == "15.0.0", f"run it with Python 3.12 (this one has Unicode {unicodedata.unidata_version})"


def digits(length):
    """A number in base 26. Its last letter is in upper case."""
    text = string.ascii_uppercase[length % 26]
    while length := length // 26:
        text = string.ascii_lowercase[length % 26] + text
    return text


text, start, assigned = "", 0, True
for code in range(0x110000):
    if (unicodedata.category(chr(code)) != "Cn") == assigned:
        continue
    text += digits(code - start)
    start, assigned = code, not assigned
pathlib.Path(__file__).parent.with_name("src").joinpath("fields/unicode-15.json").write_text(json.dumps(text) + "\n")
