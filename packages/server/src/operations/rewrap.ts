import { fromBase64, toBase64 } from '@eaas/protocol/base64';
import type { Item, Output } from '@eaas/protocol/wire';
import { sealedVersion } from '../crypto/sealed-secret.ts';
import { keyDraft, logged, refused } from './draft.ts';
import { requireStatus } from './require-key.ts';
import { batch, type ItemOperation, single } from './single-and-batch.ts';
import { unauthentic, unwrapDek, wrapDek } from './wrapped-key.ts';

type Input = Item<'POST /v1/batch/rewrap'>;
type Answer = Output<'POST /v1/keys/:key_id/rewrap'>;

const operation: ItemOperation<Input, Answer> = {
  versionOf: ({ wrapped_key }) => sealedVersion(fromBase64(wrapped_key)),
  judge(_facts, key, { wrapped_key, context }) {
    requireStatus(key.row, 'active');
    const { key_id, key_version } = key.row;
    const wrapped = fromBase64(wrapped_key);
    const from_version = sealedVersion(wrapped);
    const metadata = { from_version, context: logged(context) };
    const dek = unwrapDek(key, wrapped, context);
    if (!dek) {
      const refusal = unauthentic();
      return { draft: keyDraft('key.wrap', key.row, { ...metadata, ...refused(refusal) }), answer: refusal };
    }
    const rewrapped = from_version !== key_version;
    const newest = rewrapped ? toBase64(wrapDek(key, dek, context)) : wrapped_key;
    dek.fill(0);
    return {
      draft: keyDraft('key.wrap', key.row, metadata),
      answer: { wrapped_key: newest, key_id, key_version, rewrapped },
    };
  },
};

/** POST /v1/keys/:key_id/rewrap and /v1/batch/rewrap. The DEK never leaves. */
export const rewrap = single(operation);
export const batchRewrap = batch(operation);
