/** What the page on bytes promises of what a caller can see, by its sections. */
export const envelopePage = {
  'The envelope, version 1': [
    'Magic 79 A6 AC: in base64 every ciphertext begins `eaas`; then version 01, key_id, key_version, n, wrapped_key, iv, C, body and tag.',
    'The embedded wrapped_key is wrapped without context, always.',
    'K || C = HKDF-SHA-256(ikm = DEK, salt = empty, info = "eaas envelope v1", 64 bytes).',
    'AAD = the first 20 bytes (magic, version, key_id) || encode(context).',
    "The bundle's `ciphertext` is all of this in base64; `wrapped_key`, `iv`, `key_id`, `key_version` are copies of its parts.",
    'The AES-256-GCM ciphertext is as long as the plaintext.',
    'The iv and the DEK are random: no two bundles share one.',
  ],
  'The envelope, version 2': ['`/v1/decrypt` refuses version 2 (422).'],
  'Sealed secrets': [
    'A wrapped_key is 78 bytes, 104 base64 characters without padding; its head is 01 01 || u32(version) || salt.',
    'k = HMAC-SHA-256(ikm, pae("eaas wrap v1", tenant, key, version, purpose, salt)), then AES-256-GCM under an iv of zeros with AAD pae(head, encode(context)).',
    'Tenant, key, version and purpose are in the derivation: nothing sealed can be moved.',
  ],
  Keys: [
    '`/v1/hash` = lower-case hex of HMAC-SHA-256(hash key, UTF-8 of value).',
    'API key: "eaas_sk_", 43 base62 digits of 32 random bytes, 6 of the CRC-32 of the preceding 51 characters; 57 characters.',
  ],
  'The audit chain': [
    'hash_n = SHA-256(pae("eaas audit entry v1", hash_(n-1), …exactly the fields that the API shows)), hash_0 = SHA-256(pae("eaas audit chain v1", tenant_id)).',
    'Anyone can recompute the chain from the pages of GET /v1/audit without a secret.',
    'Checkpoint: a C2SP signed note, Ed25519, key name `eaas/<tenant_id>`, text `eaas.audit-chain.v1/<tenant_id>`, id, base64 of the hash; answered with `verifier_key`.',
    "A signature not by this tenant's key is 400.",
  ],
} as const;
