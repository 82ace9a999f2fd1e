"""Encrypts standard input under an intake key. Arguments: its public key, and the context as name=value.

Requires the package `cryptography` 48. Its HPKE takes no additional data, so `seal_base` computes RFC 9180's key schedule.
"""
import base64, hashlib, hmac, os, re, struct, sys, uuid
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric.mlkem import MLKEM768PublicKey
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.kdf.hkdf import HKDF, HKDFExpand

FORM = r"(eaas_pk_1\.([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.([1-9][0-9]{0,9})\.([A-Za-z0-9+/]+=*))\.([0-9a-f]{16})"
SUITE = b"HPKE\x64\x7a\x00\x01\x00\x02"


def pae(*parts):
    return struct.pack(">I", len(parts)) + b"".join(struct.pack(">I", len(part)) + part for part in parts)


def extract(salt, label, ikm):
    return hmac.digest(salt, b"HPKE-v1" + SUITE + label + ikm, "sha256")


def expand(secret, label, info, length):
    labeled = struct.pack(">H", length) + b"HPKE-v1" + SUITE + label + info
    return HKDFExpand(hashes.SHA256(), length, labeled).derive(secret)


def seal_base(public_key, info, aad, plaintext):
    """SealBase of HPKE, with X-Wing (MLKEM768-X25519), HKDF-SHA256 and AES-256-GCM."""
    secret_m, enc_m = MLKEM768PublicKey.from_public_bytes(public_key[:1184]).encapsulate()
    own, public_x = X25519PrivateKey.generate(), public_key[1184:]
    secret_x, enc_x = own.exchange(X25519PublicKey.from_public_bytes(public_x)), own.public_key().public_bytes_raw()
    shared = hashlib.sha3_256(secret_m + secret_x + enc_x + public_x + b"\\.//^\\").digest()
    context = b"\x00" + extract(b"", b"psk_id_hash", b"") + extract(b"", b"info_hash", info)
    secret = extract(shared, b"secret", b"")
    key, nonce = expand(secret, b"key", context, 32), expand(secret, b"base_nonce", context, 12)
    return enc_m + enc_x + AESGCM(key).encrypt(nonce, plaintext, aad)


def encrypt(public_key, value, context):
    match = re.fullmatch(FORM, public_key)
    if match is None:
        sys.exit("the public key must be all of eaas_pk_1.…, without spaces or line breaks")
    text, key_id, version, encoded, checksum = match.groups()
    if hashlib.sha256(text.encode()).hexdigest()[:16] != checksum:
        sys.exit("the public key must have the right checksum: it was altered or truncated")
    raw, number = base64.b64decode(encoded, validate=True), struct.pack(">I", int(version))
    if base64.b64encode(raw).decode() != encoded or len(raw) != 1216:
        sys.exit("the public key must have 1,216 bytes in canonical base64")
    dek, iv, head = os.urandom(32), os.urandom(12), b"\x02\x01" + number
    info = pae(b"eaas intake v1", key_id.encode(), version.encode())
    wrapped = head + seal_base(raw, info, pae(head, pae()), dek)
    start = b"\x79\xa6\xac\x01" + uuid.UUID(key_id).bytes
    keys = HKDF(hashes.SHA256(), 64, None, b"eaas envelope v1").derive(dek)
    names = [part.encode() for name in sorted(context, key=str.encode) for part in (name, context[name])]
    body = AESGCM(keys[:32]).encrypt(iv, value, start + pae(*names))
    return start + number + struct.pack(">H", len(wrapped)) + wrapped + iv + keys[32:] + body


if len(sys.argv) < 2:
    sys.exit("the public key must be the first argument: use the command in README.md")
pairs = dict(argument.split("=", 1) for argument in sys.argv[2:])
print(base64.b64encode(encrypt(sys.argv[1], sys.stdin.buffer.read(), pairs)).decode())
