import { type Context, InputError, type Wrapped } from '@eaas/protocol';
import { fromBase64, toBase64 } from '@eaas/protocol/base64';
import type { WrapOptions } from '../call-options.ts';
import type { EnvelopeClient } from '../envelope-client.ts';
import { EaasError } from '../errors.ts';

const wrapContext: Context = { purpose: 'eaas index key v1' };
const start = 'eaas_ik_1';
const tokenForm = /^eaas_ik_1\.([\da-f-]{36})\.(\d{1,10})\.([\w+/]+=*)$/;

/** The key that wraps an index key, where it is not the client's. */
export type IndexKeyOptions = Omit<WrapOptions, 'wrapContext'>;

/**
 * Makes a key for fingerprints that are computed here, so that no value leaves the process: 32 random bytes, wrapped by
 * the service. The token that is answered is useless without the service and may stand in the app's configuration or
 * database; losing it costs the indexes, not the data. Throws EaasError when the service does not wrap it.
 */
export async function createIndexKey(
  client: Pick<EnvelopeClient, 'wrap'>,
  options: IndexKeyOptions = {},
): Promise<string> {
  return wrapAndWipe(client, crypto.getRandomValues(new Uint8Array(32)), options);
}

/**
 * The same index key, wrapped under the newest version of its key, or under another key: for the token to be replaced
 * before the old one is retired. The indexes stay as they are.
 */
export async function rewrapIndexKey(
  client: Pick<EnvelopeClient, 'wrap' | 'unwrap'>,
  token: string,
  options: IndexKeyOptions = {},
): Promise<string> {
  const wrapped = parseToken(token);
  const { keyId = wrapped.keyId, signal } = options;
  return wrapAndWipe(client, await client.unwrap(wrapped, { wrapContext, signal }), { keyId, signal });
}

async function wrapAndWipe(
  client: Pick<EnvelopeClient, 'wrap'>,
  key: Uint8Array,
  options: IndexKeyOptions,
): Promise<string> {
  try {
    const { keyId, keyVersion, wrappedKey } = await client.wrap(key, { ...options, wrapContext });
    return [start, keyId, keyVersion, toBase64(wrappedKey)].join('.');
  } finally {
    key.fill(0);
  }
}

function parseToken(token: string): Wrapped {
  const [, keyId, keyVersion, wrappedKey] = tokenForm.exec(token) ?? [];
  if (!keyId || !wrappedKey) throw new InputError('an index key is a token that createIndexKey answered');
  return { keyId, keyVersion: Number(keyVersion), wrappedKey: fromBase64(wrappedKey, 'the index key') };
}

/** An index key in use. */
export interface IndexKey {
  /** HMAC-SHA-256, in lower-case hex. Throws EaasError when the key cannot be unwrapped, or was dropped. */
  mac(subject: Uint8Array<ArrayBuffer>): Promise<string>;
  /** Forgets the key: nothing can be computed any more. */
  drop(): void;
}

/**
 * Unwraps the key when it is first needed, and once. Its bytes are overwritten at once: what is held is a key of
 * WebCrypto's, which no script can read.
 */
export function indexKeyOf(client: Pick<EnvelopeClient, 'unwrap'>, token: string): IndexKey {
  const wrapped = parseToken(token);
  let key: Promise<CryptoKey> | undefined;
  let dropped = false;

  async function load(): Promise<CryptoKey> {
    const bytes = await client.unwrap(wrapped, { wrapContext });
    try {
      const hmac = { name: 'HMAC', hash: 'SHA-256' };
      return await crypto.subtle.importKey('raw', bytes as Uint8Array<ArrayBuffer>, hmac, false, ['sign']);
    } finally {
      bytes.fill(0);
    }
  }

  async function loaded(): Promise<CryptoKey> {
    if (dropped) throw new EaasError('closed', 'these fields were closed');
    key ??= load();
    const loading = key;
    try {
      return await loading;
    } catch (error) {
      // The next call tries again.
      if (key === loading) key = undefined;
      throw error;
    }
  }

  return {
    mac: async (subject) => hex(new Uint8Array(await crypto.subtle.sign('HMAC', await loaded(), subject))),
    drop() {
      dropped = true;
      key = undefined;
    },
  };
}

function hex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
