// A second implementation of the formats, which shares no code with the packages: it opens and checks what the service
// writes.
import { createCipheriv, createDecipheriv, createHash, createHmac, hkdfSync } from 'node:crypto';
import type { AuditEntry } from './fixture.ts';

type Context = Readonly<Record<string, string>> | null;

const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');
export const hmac = (key: Uint8Array, bytes: Buffer): Buffer =>
  createHmac('sha256', key).update(bytes).digest();

/** With no salt. */
export const hkdf = (ikm: Uint8Array, info: Buffer, length: number): Buffer =>
  Buffer.from(hkdfSync('sha256', ikm, Buffer.alloc(0), info, length));

export function u32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

export function pae(...parts: (string | number | Uint8Array | null)[]): Buffer {
  const encoded = parts.flatMap((part) => {
    if (part === null) return [Buffer.from('ffffffff', 'hex')];
    const bytes = part instanceof Uint8Array ? part : Buffer.from(String(part), 'utf8');
    return [u32(bytes.length), bytes];
  });
  return Buffer.concat([u32(parts.length), ...encoded]);
}

export function encodeContext(context: Context): Buffer {
  const pairs = Object.entries(context ?? {}).map((pair) => pair.map((text) => Buffer.from(text, 'utf8')));
  pairs.sort(([a], [b]) => Buffer.compare(a ?? Buffer.alloc(0), b ?? Buffer.alloc(0)));
  return pae(...pairs.flat());
}

function gcmOpen(key: Uint8Array, nonce: Uint8Array, aad: Buffer, sealed: Buffer): Buffer {
  const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: 16 });
  decipher.setAAD(aad);
  decipher.setAuthTag(sealed.subarray(-16));
  return Buffer.concat([decipher.update(sealed.subarray(0, -16)), decipher.final()]);
}

export function takeApart(ciphertext: string) {
  const bytes = Buffer.from(ciphertext, 'base64');
  const at = 26 + bytes.readUInt16BE(24);
  return {
    magic: bytes.toString('hex', 0, 3),
    version: bytes.readUInt8(3),
    keyId: bytes.toString('hex', 4, 20).replace(/(.{8})(.{4})(.{4})(.{4})(.{12})/, '$1-$2-$3-$4-$5'),
    keyVersion: bytes.readUInt32BE(20),
    wrappedKey: bytes.toString('base64', 26, at),
    head: bytes.subarray(0, at),
    bound: bytes.subarray(0, 20),
    iv: bytes.toString('base64', at, at + 12),
    commitment: bytes.subarray(at + 12, at + 44),
    body: bytes.subarray(at + 44),
  };
}

export function openEnvelope(ciphertext: string, dek: string, context: Context = null): Buffer {
  const { magic, version, bound, iv, commitment, body } = takeApart(ciphertext);
  if (magic !== '79a6ac' || version !== 1) throw new Error('other magic or version');
  const derived = hkdf(Buffer.from(dek, 'base64'), Buffer.from('eaas envelope v1'), 64);
  if (!derived.subarray(32).equals(commitment)) throw new Error('commitment');
  const aad = Buffer.concat([bound, encodeContext(context)]);
  return gcmOpen(derived.subarray(0, 32), Buffer.from(iv, 'base64'), aad, body);
}

/** An envelope with the header of another. Its content is sealed under `dek`, whatever the header wraps. */
export function sealEnvelope(like: string, dek: string, plaintext: string, context: Context = null): string {
  const { head, bound } = takeApart(like);
  const iv = Buffer.alloc(12);
  const derived = hkdf(Buffer.from(dek, 'base64'), Buffer.from('eaas envelope v1'), 64);
  const cipher = createCipheriv('aes-256-gcm', derived.subarray(0, 32), iv);
  cipher.setAAD(Buffer.concat([bound, encodeContext(context)]));
  const sealed = [cipher.update(plaintext), cipher.final(), cipher.getAuthTag()];
  return Buffer.concat([head, iv, derived.subarray(32), ...sealed]).toString('base64');
}

/** What takes the place of a DEK under a half. */
export function mixed(half: Uint8Array | null, keyId: string, dek: string): string {
  return half ? hmac(half, pae('eaas half v1', keyId, Buffer.from(dek, 'base64'))).toString('base64') : dek;
}

export const halfIndexKey = (half: Uint8Array, tokenKey: Uint8Array | null): Buffer =>
  hmac(half, pae('eaas half index v1', tokenKey));

export const halfId = (half: Uint8Array): string => hmac(half, pae('eaas half id v1')).toString('hex', 0, 4);

interface Place {
  readonly tenant: string;
  readonly key: string;
  readonly context?: Context;
  readonly subjectSecret?: Uint8Array | null;
}

export function openWrappedKey(
  wrappedKey: string,
  exported: Uint8Array,
  { tenant, key, context = null, subjectSecret = null }: Place,
): string {
  const wrapped = Buffer.from(wrappedKey, 'base64');
  const suite = subjectSecret === null ? 1 : 2;
  if (wrapped.length !== 78) throw new Error('length');
  if (wrapped[0] !== 1 || wrapped[1] !== suite) throw new Error('format or suite');
  const head = wrapped.subarray(0, 30);
  const secret = subjectSecret === null ? exported : hmac(exported, pae('eaas subject v1', subjectSecret));
  const version = wrapped.readUInt32BE(2);
  const wrapKey = hmac(secret, pae(`eaas wrap v${suite}`, tenant, key, version, 'dek', head.subarray(6)));
  const aad = pae(head, encodeContext(context));
  return gcmOpen(wrapKey, Buffer.alloc(12), aad, wrapped.subarray(30)).toString('base64');
}

const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

function base62(number: bigint, length: number): string {
  let text = '';
  for (let rest = number; rest > 0n; rest /= 62n) text = `${digits[Number(rest % 62n)]}${text}`;
  return text.padStart(length, '0');
}

function crc32(bytes: Buffer): number {
  let crc = 0xffffffff;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
  }
  return (crc ^ 0xffffffff) >>> 0;
}

const checkDigits = (body: string): string => base62(BigInt(crc32(Buffer.from(body))), 6);

export function tokenOf(bytes: Buffer, prefix = 'eaas_sk_'): string {
  const body = `${prefix}${base62(BigInt(`0x${bytes.toString('hex')}`), 43)}`;
  return body + checkDigits(body);
}

function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([name, one]) => `${JSON.stringify(name)}:${canonicalJson(one)}`).join(',')}}`;
}

export const genesisHash = (tenantId: string): string => sha256(pae('eaas audit chain v1', tenantId));

export function entryHash(previous: string, entry: AuditEntry): string {
  const { id, action, key_id: key, key_version: version, actor, ip_address: address } = entry;
  const known = [Buffer.from(entry.salt, 'hex'), entry.tenant_id, id, action, key, version, actor, address];
  const metadata = canonicalJson(entry.metadata);
  const digest = sha256(pae('eaas audit entry v1', ...known, metadata, Date.parse(entry.created_at)));
  return sha256(pae('eaas audit link v1', Buffer.from(previous, 'hex'), Buffer.from(digest, 'hex')));
}
