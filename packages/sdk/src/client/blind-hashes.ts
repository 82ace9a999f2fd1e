import { pae, toUtf8 } from '@eaas/protocol';
import { readBase64, toBase64 } from '@eaas/protocol/base64';
import { abortable } from '../transport/abortable.ts';
import type { BlindHashOptions, Hash } from '../blind-hash/hasher.ts';
import { requireValue } from './ciphertext.ts';
import { unreadable } from '../errors.ts';
import { load } from '../transport/load.ts';
import type { Call, CallOptions } from '../transport/transport.ts';

export function createBlindHashes(call: Call, options: BlindHashOptions) {
  let loading: Promise<Hash> | undefined;
  const loadHasher = () =>
    (loading ??= load('blind hashes', import('../blind-hash/hasher.ts')).then(
      ({ createHasher }) => createHasher(options, { call, unreadable, pae, readBase64, toBase64 }),
      (error: unknown) => {
        loading = undefined;
        throw error;
      },
    ));

  return (value: string | Uint8Array, keyId: string, { signal }: CallOptions): Promise<string> => {
    requireValue(value);
    // Copies the bytes, because the caller can overwrite them while the module for blind hashes is loaded.
    const bytes = typeof value === 'string' ? toUtf8(value) : new Uint8Array(value);
    const hashing = loadHasher().then((hash) => hash(bytes, keyId, signal));
    return abortable(hashing, signal);
  };
}
