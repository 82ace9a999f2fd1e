import { fromBase64 } from '@eaas/protocol/base64';
import type { Item, Output } from '@eaas/protocol/wire';
import { sealedVersion } from '../crypto/sealed-secret.ts';
import { keyDraft, logged, refused } from './draft.ts';
import { refusedByStatus } from './require-key.ts';
import { batch, type ItemOperation, single } from './single-and-batch.ts';
import { dekToBase64, unauthentic, unwrapDek } from './wrapped-key.ts';

type Input = Item<'POST /v1/batch/unwrap'>;
type Answer = Output<'POST /v1/keys/:key_id/unwrap'>;

const operation: ItemOperation<Input, Answer> = {
  versionOf: ({ wrapped_key }) => sealedVersion(fromBase64(wrapped_key)),
  judge(_facts, key, { wrapped_key, key_version: named, context }) {
    const wrapped = fromBase64(wrapped_key);
    const claimed = sealedVersion(wrapped);
    const { key_id } = key.row;
    const key_version = claimed ?? key.row.key_version;
    const metadata = { key_version, context: logged(context) };
    const refuse = (refusal: ReturnType<typeof unauthentic>) => ({
      draft: keyDraft('key.unwrap', { key_id, key_version }, { ...metadata, ...refused(refusal) }),
      answer: refusal,
    });
    const byStatus = refusedByStatus(key.row, 'active', 'disabled');
    if (byStatus) return refuse(byStatus);
    const dek = named === undefined || named === claimed ? unwrapDek(key, wrapped, context) : undefined;
    if (!dek) return refuse(unauthentic());
    return {
      draft: keyDraft('key.unwrap', { key_id, key_version }, metadata),
      answer: { dek: dekToBase64(dek), key_id, key_version },
    };
  },
};

/** POST /v1/keys/:key_id/unwrap and /v1/batch/unwrap. */
export const unwrap = single(operation);
export const batchUnwrap = batch(operation);
