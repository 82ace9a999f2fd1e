import { formatToken, withChecksum } from '../vectors/reference/api-key.mjs';
import * as audit from '../vectors/reference/audit.mjs';
import * as envelope from '../vectors/reference/envelope.mjs';
import { unwrapForSubject } from '../vectors/reference/people.mjs';
import type { AuditEntry } from './fixture.ts';

type Context = Readonly<Record<string, string>>;

export function takeApart(ciphertext: string) {
  const bytes = Buffer.from(ciphertext, 'base64');
  const at = 26 + bytes.readUInt16BE(24);
  return {
    magic: bytes.toString('hex', 0, 3),
    version: bytes.readUInt8(3),
    keyId: bytes.toString('hex', 4, 20).replace(/(.{8})(.{4})(.{4})(.{4})(.{12})/, '$1-$2-$3-$4-$5'),
    keyVersion: bytes.readUInt32BE(20),
    wrappedKey: bytes.toString('base64', 26, at),
    iv: bytes.toString('base64', at, at + 12),
    commitment: bytes.subarray(at + 12, at + 44),
    body: bytes.subarray(at + 44),
  };
}

export function openEnvelope(ciphertext: string, dek: string, context: Context | null = null): Buffer {
  const expected = { dek: Buffer.from(dek, 'base64'), expected_key_id: null, context };
  return envelope.openEnvelope(Buffer.from(ciphertext, 'base64'), expected);
}

export function openWrappedKey(
  wrappedKey: string,
  exported: Uint8Array,
  {
    tenant,
    key,
    context = null,
    subjectSecret = null,
  }: { tenant: string; key: string; context?: Context | null; subjectSecret?: Uint8Array | null },
): string {
  const bytes = Buffer.from(wrappedKey, 'base64');
  const version = bytes.readUInt32BE(2);
  const place = { version_secret: exported, subject_secret: subjectSecret, tenant, key, version, context };
  return unwrapForSubject(bytes, place).toString('base64');
}

export function genesisHash(tenantId: string): string {
  return audit.chainStart(tenantId).toString('hex');
}

export function entryHash(previous: string, entry: AuditEntry): string {
  const metadata = audit.canonicalJson(entry.metadata);
  return audit.entryHash(Buffer.from(previous, 'hex'), entry.tenant_id, entry, metadata).toString('hex');
}

export function checkDigits(body: string): string {
  return withChecksum(body).slice(body.length);
}

export const tokenOf = formatToken;
