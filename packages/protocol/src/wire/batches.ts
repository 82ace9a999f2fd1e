// Many calls of one kind in one request, made from the schemas of the single calls. An item that fails leaves the others alone.
import * as z from 'zod/mini';
import { aboutDataKeys, dataKeys, items } from './data-keys.ts';
import type { CallText, Endpoints, Group } from './endpoint.ts';
import { limits } from './limits.ts';
import type { Permission } from './permissions.ts';
import { keyId, receipt, reference, sized, who } from './primitives.ts';
import { problem, problemDocument } from './problems.ts';
import { samples } from './samples.ts';
import { aboutServerMode, serverMode } from './server-mode.ts';

export const batches = {
  'POST /v1/batch/wrap': many('Wrap many data keys', dataKeys['POST /v1/keys/:key_id/wrap'], items.wrap),
  'POST /v1/batch/unwrap': {
    ...many('Unwrap many data keys', dataKeys['POST /v1/keys/:key_id/unwrap'], items.unwrap),
    secret: true,
  },
  'POST /v1/batch/rewrap': many(
    'Rewrap many data keys',
    dataKeys['POST /v1/keys/:key_id/rewrap'],
    items.rewrap,
  ),
  'POST /v1/batch/hash': {
    permission: 'encrypt',
    summary: 'Fingerprint many values',
    readOnly: true,
    ...batchOf(
      z.omit(serverMode['POST /v1/hash'].body, { key_id: true }),
      serverMode['POST /v1/hash'].output,
      {},
    ),
  },
} satisfies Endpoints;

/** `entry`: the member for the receipt, if the calls write entries. */
function batchOf<
  Body extends z.ZodMiniObject,
  Output extends z.ZodMiniObject,
  Entry extends z.core.$ZodLooseShape,
>(body: Body, output: Output, entry: Entry) {
  const echo = { reference: z.optional(reference) };
  const beside = { ...echo, ...entry };
  return {
    item: z.extend(body, { key_id: keyId, ...echo }),
    body: z.strictObject({ items: z.array(z.unknown()).check(sized(limits.batchItems)) }),
    output: z.object({
      results: z.array(z.union([z.extend(output, beside), z.object({ error: problemDocument, ...beside })])),
    }),
  };
}

/** One user acts in all items of a batch, so the batch names the user, and an item cannot. */
function many<P extends Permission, Output extends z.ZodMiniObject, Item extends z.ZodMiniObject>(
  summary: string,
  { permission, output }: { readonly permission: P; readonly output: Output },
  item: Item,
) {
  const batch = batchOf(item, output, { entry: z.optional(receipt) });
  const body = z.extend(batch.body, { user: who.user });
  return { forUsers: true as const, permission, summary, ...batch, body };
}

/** What the reference says about these calls. */
export const aboutBatches = (): Group<typeof batches> => {
  const { calls: single } = aboutDataKeys();
  const { input, output } = single['POST /v1/keys/:key_id/wrap'];
  const unknown = 'Key not found: pass the key_id that POST /v1/keys returned, not the name of the key.';
  return {
    title: 'Batches',
    about: 'Up to 1,000 calls of one kind in one request.',
    fields: {
      error: 'Why this item failed: a problem document.',
      items: 'The bodies of 1 to 1,000 single calls.',
      reference: 'Your own text of at most 128 bytes, which the result repeats.',
      results: 'One result for each item, in the same order.',
      'results.entry': 'The audit entry of the item, if it has one.',
      'error.code': 'The problem’s name, for programs.',
      'error.detail': 'What happened, and what to do.',
      'error.status': 'The HTTP status of the single call.',
      'error.title': 'The status in words.',
      'error.type': 'Always `about:blank`.',
    },
    calls: {
      'POST /v1/batch/wrap': {
        id: 'wrapKeys',
        about: each,
        input: {
          items: [
            { key_id: samples.keyId, ...input, reference: 'row 1' },
            { key_id: 'patients', ...input, reference: 'row 2' },
          ],
        },
        output: {
          results: [
            { ...output, reference: 'row 1' },
            { error: problem('not_found', unknown), reference: 'row 2' },
          ],
        },
      },
      'POST /v1/batch/unwrap': callsOf('unwrapKeys', single['POST /v1/keys/:key_id/unwrap']),
      'POST /v1/batch/rewrap': callsOf('rewrapKeys', single['POST /v1/keys/:key_id/rewrap']),
      'POST /v1/batch/hash': callsOf('hashValues', aboutServerMode().calls['POST /v1/hash']),
    },
  };
};

const each =
  'Takes 1 to 1,000 items. Each is the body of the single call, with `key_id` and an optional ' +
  '`reference`, which the result repeats. The results have the same order. An item that fails has an ' +
  '`error`; the others succeed. `user` names the person on whose behalf you act, for all items.';

function callsOf<In, Out>(id: string, { input, output }: CallText<In, Out>) {
  const items = [{ key_id: samples.keyId, ...input }];
  return { id, about: each, input: { items }, output: { results: [output] } };
}
