"""Decrypts the ciphertext on standard input. Arguments: the context, as name=value.

Requires the package `cryptography`, EAAS_BASE_URL, EAAS_API_KEY and EAAS_KEY_ID.
"""
import base64, hmac, json, os, struct, sys, urllib.request, uuid
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

for name in ("EAAS_BASE_URL", "EAAS_API_KEY", "EAAS_KEY_ID"):
    if not os.environ.get(name):
        sys.exit(f"{name} must be set (got no value): use the command in README.md")


def encode(context):
    pairs = sorted((name.encode(), value.encode()) for name, value in context.items())
    parts = [part for pair in pairs for part in pair]
    return struct.pack(">I", len(parts)) + b"".join(struct.pack(">I", len(p)) + p for p in parts)


def unwrap(key_id, wrapped_key):
    request = urllib.request.Request(
        f"{os.environ['EAAS_BASE_URL']}/v1/keys/{key_id}/unwrap",
        json.dumps({"wrapped_key": base64.b64encode(wrapped_key).decode()}).encode(),
        {"authorization": f"Bearer {os.environ['EAAS_API_KEY']}", "content-type": "application/json"},
    )
    with urllib.request.urlopen(request, timeout=30) as response:
        return base64.b64decode(json.load(response)["dek"])


def open_envelope(ciphertext, key_id, context):
    envelope = base64.b64decode(ciphertext, validate=True)
    if envelope[:4] != b"\x79\xa6\xac\x01":
        raise ValueError("expected an envelope of version 1, which begins with eaasAQ")
    if uuid.UUID(bytes=envelope[4:20]) != uuid.UUID(key_id):
        raise ValueError("the ciphertext belongs to another key")
    iv = 26 + int.from_bytes(envelope[24:26], "big")
    dek = unwrap(key_id, envelope[26:iv])
    derived = HKDF(hashes.SHA256(), 64, None, b"eaas envelope v1").derive(dek)
    if not hmac.compare_digest(envelope[iv + 12 : iv + 44], derived[32:]):
        raise ValueError("the data key does not belong to this ciphertext")
    aad = envelope[:20] + encode(context)
    return AESGCM(derived[:32]).decrypt(envelope[iv : iv + 12], envelope[iv + 44 :], aad)


context = dict(argument.split("=", 1) for argument in sys.argv[1:])
plaintext = open_envelope(sys.stdin.read().strip(), os.environ["EAAS_KEY_ID"], context)
sys.stdout.buffer.write(plaintext + b"\n")
