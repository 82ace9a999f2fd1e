import { toUtf8 } from '@eaas/protocol';
import type { Input, Output } from '@eaas/protocol/wire';
import type { Caller } from '../caller.ts';
import { sealBundle } from '../crypto/server-mode.ts';
import type { Service } from '../service.ts';
import { decide } from '../state/decide.ts';
import { keyDraft, logged } from './draft.ts';
import { requireKey, requireStatus } from './require-key.ts';
import { wrapDek } from './wrapped-key.ts';

/** POST /v1/encrypt: the whole envelope under a fresh DEK, counted against the month's quota. */
export function encrypt(
  service: Service,
  caller: Caller,
  { plaintext, key_id, context }: Input<'POST /v1/encrypt'>,
): Promise<Output<'POST /v1/encrypt'>> {
  return decide(service, caller, async (facts) => {
    const key = await requireKey(service, facts, key_id);
    requireStatus(key.row, 'active');
    // Wrapped without the context, always: the body authenticates it.
    const wrap = (dek: Uint8Array) => wrapDek(key, dek);
    const named = { keyId: key.row.key_id, keyVersion: key.row.key_version, wrap };
    return {
      drafts: [keyDraft('encrypt', key.row, { context: logged(context) })],
      answer: sealBundle(toUtf8(plaintext), named, context),
      isEncrypt: true,
    };
  });
}
