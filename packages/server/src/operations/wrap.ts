import { fromBase64, toBase64 } from '@eaas/protocol/base64';
import type { Item, Output } from '@eaas/protocol/wire';
import { keyDraft, logged } from './draft.ts';
import { requireStatus } from './require-key.ts';
import { batch, type ItemOperation, single } from './single-and-batch.ts';
import { wrapDek } from './wrapped-key.ts';

type Input = Item<'POST /v1/batch/wrap'>;
type Answer = Output<'POST /v1/keys/:key_id/wrap'>;

/** How one wrap is judged. */
export const wrapItem: ItemOperation<Input, Answer> = {
  judge(_facts, key, { dek, context }) {
    requireStatus(key.row, 'active');
    const { key_id, key_version } = key.row;
    const secret = fromBase64(dek);
    try {
      const wrapped_key = toBase64(wrapDek(key, secret, context));
      return {
        draft: keyDraft('key.wrap', key.row, { context: logged(context) }),
        answer: { wrapped_key, key_id, key_version },
      };
    } finally {
      secret.fill(0);
    }
  },
};

/** POST /v1/keys/:key_id/wrap and /v1/batch/wrap. */
export const wrap = single(wrapItem);
export const batchWrap = batch(wrapItem);
