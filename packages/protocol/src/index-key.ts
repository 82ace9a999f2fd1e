import { readBase64, toBase64 } from './base64.ts';
import type { Context } from './context.ts';
import type { Wrapped } from './envelope.ts';

export const indexKeyContext: Context = { purpose: 'eaas index key v1' };

export function formatIndexKey({ keyId, keyVersion, wrappedKey }: Wrapped): string {
  return ['eaas_ik_1', keyId, keyVersion, toBase64(wrappedKey)].join('.');
}

export function parseIndexKey(token: string): Wrapped | undefined {
  const [, keyId, keyVersion, encoded] =
    /^eaas_ik_1\.([\da-f-]{36})\.(\d{1,10})\.([\w+/]+=*)$/.exec(token) ?? [];
  const wrappedKey = encoded === undefined ? undefined : readBase64(encoded);
  return keyId && wrappedKey ? { keyId, keyVersion: Number(keyVersion), wrappedKey } : undefined;
}
