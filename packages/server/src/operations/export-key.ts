import type { KeyObject } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import type { Input, Output } from '@eaas/protocol/wire';
import type { Caller } from '../caller.ts';
import { encryptTo, importRsaPublicKey, thumbprint } from '../crypto/rsa-export.ts';
import { Refusal } from '../refusal.ts';
import type { Service } from '../service.ts';
import { decide } from '../state/decide.ts';
import { loadKeys } from '../state/load-keys.ts';
import { keyDraft } from './draft.ts';
import { requireKey, requireStatus } from './require-key.ts';

/** POST /v1/keys/:key_id/export: every version and the hash key, each encrypted to the caller's RSA key. */
export function exportKey(
  service: Service,
  caller: Caller,
  { key_id, public_key }: Input<'POST /v1/keys/:key_id/export'>,
): Promise<Output<'POST /v1/keys/:key_id/export'>> {
  return decide(service, caller, async (facts) => {
    const publicKey = importRsaPublicKey(public_key);
    if (!publicKey) throw new Refusal('bad_request', '`public_key` is not a usable RSA public key.');
    const { row, hashKey } = await requireKey(service, facts, key_id);
    requireStatus(row, 'active', 'disabled');
    if (!row.exportable) {
      throw new Refusal(
        'key_state',
        'The key is not exportable; that is chosen at creation and never changes.',
      );
    }
    const numbers = Array.from({ length: row.key_version }, (_, index) => index + 1);
    const wanted = numbers.map((keyVersion) => ({ keyId: row.key_id, keyVersion }));
    const keys = await loadKeys(service.tenants, facts.state, wanted);
    const versions = keys.get(row.key_id)?.versions;
    const encrypted: { key_version: number; encrypted: string }[] = [];
    for (const key_version of numbers) {
      encrypted.push({ key_version, encrypted: exported(publicKey, versions?.get(key_version)) });
      // RSA takes its time, and others have theirs in between.
      await setImmediate();
    }
    const metadata = { jwk_thumbprint: thumbprint(public_key) };
    return {
      drafts: [keyDraft('key.export', row, metadata)],
      answer: { key_id: row.key_id, versions: encrypted, hash_key: exported(publicKey, hashKey) },
    };
  });
}

function exported(publicKey: KeyObject, key: KeyObject | null | undefined): string {
  if (!key) throw new Error('a key that is not destroyed has all its material');
  const secret = key.export();
  try {
    return encryptTo(publicKey, secret);
  } finally {
    secret.fill(0);
  }
}
