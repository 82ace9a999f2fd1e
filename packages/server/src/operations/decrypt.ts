import { fromUtf8 } from '@eaas/protocol';
import { fromBase64 } from '@eaas/protocol/base64';
import type { Input, Output } from '@eaas/protocol/wire';
import type { Caller } from '../caller.ts';
import { openBundle } from '../crypto/server-mode.ts';
import { Refusal } from '../refusal.ts';
import type { Service } from '../service.ts';
import { decide } from '../state/decide.ts';
import { keyDraft, logged, refused } from './draft.ts';
import { refusedByStatus, requireKey } from './require-key.ts';
import { unwrapDek } from './wrapped-key.ts';

type Request = Input<'POST /v1/decrypt'>;

/** POST /v1/decrypt: opens what either mode sealed. A refusal is recorded too. */
export function decrypt(
  service: Service,
  caller: Caller,
  input: Request,
): Promise<Output<'POST /v1/decrypt'>> {
  return decide(service, caller, async (facts) => {
    const key_version = input.key_version;
    const key = await requireKey(service, facts, input.key_id, key_version);
    const { key_id } = key.row;
    const metadata = { context: logged(input.context) };
    const plaintext = refusedByStatus(key.row, 'active', 'disabled') ?? open(key, input);
    if (plaintext instanceof Refusal) {
      const draft = keyDraft('decrypt', { key_id, key_version }, { ...metadata, ...refused(plaintext) });
      return { drafts: [draft], answer: plaintext };
    }
    return { drafts: [keyDraft('decrypt', { key_id, key_version }, metadata)], answer: { plaintext } };
  });
}

function open(key: Awaited<ReturnType<typeof requireKey>>, input: Request): string | Refusal {
  const { ciphertext, wrapped_key, iv, key_version: keyVersion, context } = input;
  const presented = {
    ciphertext: fromBase64(ciphertext),
    keyId: key.row.key_id,
    keyVersion,
    wrappedKey: wrapped_key === undefined ? undefined : fromBase64(wrapped_key),
    iv: iv === undefined ? undefined : fromBase64(iv),
  };
  const plaintext = openBundle(presented, (wrapped) => unwrapDek(key, wrapped), context);
  if (!plaintext) {
    return new Refusal(
      'decryption_failed',
      'The ciphertext did not open: it was altered, or key_id, key_version or context are not those that it was encrypted with.',
    );
  }
  try {
    return fromUtf8(plaintext);
  } finally {
    plaintext.fill(0);
  }
}
