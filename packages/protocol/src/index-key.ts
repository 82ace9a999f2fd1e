// The text in which an app stores the wrapped index key of its local indexes. The SDK writes and reads it.
import { readBase64, toBase64 } from './base64.ts';
import type { Context } from './context.ts';
import type { Wrapped } from './envelope.ts';

/** The wrap context of every index key. */
export const indexKeyContext: Context = { purpose: 'eaas index key v1' };

/** Writes a wrapped index key as text. */
export function formatIndexKey({ keyId, keyVersion, wrappedKey }: Wrapped): string {
  return ['eaas_ik_1', keyId, keyVersion, toBase64(wrappedKey)].join('.');
}

/** Reads the text of an index key, or returns undefined for other text. */
export function parseIndexKey(token: string): Wrapped | undefined {
  const [, keyId, keyVersion, encoded] =
    /^eaas_ik_1\.([\da-f-]{36})\.(\d{1,10})\.([\w+/]+=*)$/.exec(token) ?? [];
  const wrappedKey = encoded === undefined ? undefined : readBase64(encoded);
  return keyId && wrappedKey ? { keyId, keyVersion: Number(keyVersion), wrappedKey } : undefined;
}
