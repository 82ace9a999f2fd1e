import { createDecipheriv, createHash, createHmac, hkdfSync } from 'node:crypto';
import type { AuditEntry } from './fixture.ts';

// A second reading of the formats, on node:crypto alone: what a stranger to this code would write.

type Context = Readonly<Record<string, string>>;
const empty = Buffer.alloc(0);

function pae(...parts: (string | number | Uint8Array | null)[]): Buffer {
  const encoded = parts.flatMap((part) => {
    if (part === null) return [u32(0xffffffff)];
    const bytes = part instanceof Uint8Array ? part : Buffer.from(String(part), 'utf8');
    return [u32(bytes.length), bytes];
  });
  return Buffer.concat([u32(parts.length), ...encoded]);
}

function encodeContext(context: Context = {}): Buffer {
  const names = Object.keys(context).sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
  return pae(...names.flatMap((name) => [name, context[name] ?? '']));
}

function u32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

function openGcm(key: Uint8Array, iv: Uint8Array, aad: Uint8Array, sealed: Uint8Array): Buffer {
  const decipher = createDecipheriv('aes-256-gcm', key, iv, { authTagLength: 16 });
  decipher.setAAD(aad);
  decipher.setAuthTag(sealed.subarray(-16));
  return Buffer.concat([decipher.update(sealed.subarray(0, -16)), decipher.final()]);
}

/** The parts of an envelope of version 1. */
export function takeApart(ciphertext: string) {
  const bytes = Buffer.from(ciphertext, 'base64');
  const n = bytes.readUInt16BE(24);
  const at = 26 + n;
  return {
    magic: bytes.subarray(0, 3).toString('hex'),
    version: bytes.readUInt8(3),
    keyId: bytes.toString('hex', 4, 20).replace(/(.{8})(.{4})(.{4})(.{4})(.{12})/, '$1-$2-$3-$4-$5'),
    keyVersion: bytes.readUInt32BE(20),
    prefix: bytes.subarray(0, 20),
    wrappedKey: bytes.toString('base64', 26, at),
    iv: bytes.toString('base64', at, at + 12),
    commitment: bytes.subarray(at + 12, at + 44),
    body: bytes.subarray(at + 44),
  };
}

/** Opens an envelope of version 1 with its DEK. Throws when the commitment or the tag does not hold. */
export function openEnvelope(ciphertext: string, dek: string, context?: Context): Buffer {
  const { prefix, iv, commitment, body } = takeApart(ciphertext);
  const derived = Buffer.from(
    hkdfSync('sha256', Buffer.from(dek, 'base64'), empty, Buffer.from('eaas envelope v1'), 64),
  );
  if (!derived.subarray(32).equals(commitment)) throw new Error('commitment');
  const aad = Buffer.concat([prefix, encodeContext(context)]);
  return openGcm(derived.subarray(0, 32), Buffer.from(iv, 'base64'), aad, body);
}

/** Opens a wrapped_key with the exported bytes of its key version: the DEK. */
export function openWrappedKey(
  wrappedKey: string,
  exported: Uint8Array,
  place: { tenant: string; key: string; context?: Context },
): string {
  const bytes = Buffer.from(wrappedKey, 'base64');
  const head = bytes.subarray(0, 30);
  const label = pae('eaas wrap v1', place.tenant, place.key, bytes.readUInt32BE(2), 'dek', head.subarray(6));
  const key = createHmac('sha256', exported).update(label).digest();
  const aad = pae(head, encodeContext(place.context));
  return openGcm(key, Buffer.alloc(12), aad, bytes.subarray(30)).toString('base64');
}

/** hash_0 of a tenant, in hex. */
export function genesisHash(tenantId: string): string {
  return sha256(pae('eaas audit chain v1', tenantId));
}

/** What an entry's hash must be, given the one before it. */
export function entryHash(previous: string, entry: AuditEntry): string {
  return sha256(
    pae(
      'eaas audit entry v1',
      Buffer.from(previous, 'hex'),
      entry.tenant_id,
      entry.id,
      entry.action,
      entry.key_id,
      entry.key_version,
      entry.actor,
      entry.ip_address,
      canonicalJson(entry.metadata),
      Date.parse(entry.created_at),
    ),
  );
}

function canonicalJson(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${canonicalJson(member)}`).join(',')}}`;
}

function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** The six check digits of the 51 characters before them. */
export function checkDigits(body: string): string {
  let crc = 0xffffffff;
  for (const byte of Buffer.from(body, 'ascii')) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (0xedb88320 & -(crc & 1));
  }
  return base62(BigInt((crc ^ 0xffffffff) >>> 0), 6);
}

/** An API key's text made of 32 bytes. */
export function tokenOf(secret: Uint8Array): string {
  const body = `eaas_sk_${base62(BigInt(`0x${Buffer.from(secret).toString('hex')}`), 43)}`;
  return body + checkDigits(body);
}

function base62(number: bigint, length: number): string {
  let text = '';
  for (let rest = number; rest > 0n; rest /= 62n) text = digits.charAt(Number(rest % 62n)) + text;
  return text.padStart(length, '0');
}
