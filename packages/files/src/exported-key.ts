import { createPrivateKey, type JsonWebKey, type KeyObject } from 'node:crypto';
import { parseUuid } from '@eaas/protocol';
import { inLine } from '@eaas/protocol/internal';
import { CannotStart } from './failure.ts';
import { readKeyFile } from './read.ts';

interface ExportedVersion {
  readonly key_version: number;
  readonly encrypted: string;
}

export interface ExportedKey {
  readonly key_id: string;
  readonly tenant_id?: string;
  readonly versions: readonly ExportedVersion[];
}

export async function readExportedKeys(path: string): Promise<ExportedKey[]> {
  const text = await readKeyFile(path);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    value = undefined;
  }
  const keys = [value].flat();
  if (keys.every(isExportedKey)) return keys;
  throw new CannotStart(
    `${inLine(path)} must be an exported key: JSON from \`eaas-files export-key\` or from POST /v1/keys/:key_id/export.`,
  );
}

function isExportedKey(value: unknown): value is ExportedKey {
  const { key_id, tenant_id, versions } = (value ?? {}) as Record<string, unknown>;
  const isTenant = tenant_id === undefined || typeof tenant_id === 'string';
  const isKey = typeof key_id === 'string' && parseUuid(key_id) === key_id;
  return isKey && isTenant && Array.isArray(versions) && versions.every(isVersion);
}

function isVersion(value: unknown): value is ExportedVersion {
  const { key_version, encrypted } = (value ?? {}) as Record<string, unknown>;
  return Number.isInteger(key_version) && typeof encrypted === 'string';
}

export async function readPrivateKey(path: string): Promise<KeyObject> {
  const text = await readKeyFile(path);
  try {
    if (!text.trimStart().startsWith('{')) return createPrivateKey(text);
    return createPrivateKey({ key: JSON.parse(text) as JsonWebKey, format: 'jwk' });
  } catch (error) {
    const message = `${inLine(path)} must be an RSA private key in PEM or JWK, without a passphrase (\`openssl rsa -in encrypted.pem\` removes it).`;
    throw new CannotStart(message, { cause: error });
  }
}
