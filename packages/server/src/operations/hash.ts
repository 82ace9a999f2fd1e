import type { Item, Output } from '@eaas/protocol/wire';
import { fieldHash } from '../crypto/field-hash.ts';
import { requireStatus } from './require-key.ts';
import { batch, type ItemOperation, single } from './single-and-batch.ts';

type Input = Item<'POST /v1/batch/hash'>;
type Answer = Output<'POST /v1/hash'>;

/** Not recorded, but by the state of the key after the request arrived: a disabled key is refused at once. */
const operation: ItemOperation<Input, Answer> = {
  judge(_facts, key, { value }) {
    requireStatus(key.row, 'active');
    if (!key.hashKey) throw new Error('an active key has its hash key');
    return { draft: null, answer: { hash: fieldHash(key.hashKey, value), key_id: key.row.key_id } };
  },
};

/** POST /v1/hash and /v1/batch/hash. */
export const hash = single(operation);
export const batchHash = batch(operation);
