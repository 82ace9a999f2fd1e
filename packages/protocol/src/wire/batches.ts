import * as z from 'zod/mini';
import { dataKeys, aboutDataKeys } from './data-keys.ts';
import type { CallText, Endpoints, Group } from './endpoint.ts';
import { limits } from './limits.ts';
import { keyId, reference, sized } from './primitives.ts';
import { problem, type ProblemCode, problemDocument } from './problems.ts';
import { aboutServerMode, serverMode } from './server-mode.ts';

export const batches = {
  'POST /v1/batch/wrap': {
    permission: 'encrypt',
    summary: 'Wrap many data keys',
    ...batchOf(dataKeys['POST /v1/keys/:key_id/wrap']),
  },
  'POST /v1/batch/unwrap': {
    permission: 'decrypt',
    summary: 'Unwrap many data keys',
    ...batchOf(dataKeys['POST /v1/keys/:key_id/unwrap']),
    secret: true,
  },
  'POST /v1/batch/rewrap': {
    permission: 'encrypt',
    summary: 'Rewrap many data keys',
    ...batchOf(dataKeys['POST /v1/keys/:key_id/rewrap']),
  },
  'POST /v1/batch/hash': {
    permission: 'encrypt',
    summary: 'Fingerprint many values',
    ...batchOf({
      body: z.omit(serverMode['POST /v1/hash'].body, { key_id: true }),
      output: serverMode['POST /v1/hash'].output,
    }),
  },
} satisfies Endpoints;

function batchOf<Body extends z.ZodMiniObject, Output extends z.ZodMiniObject>(single: {
  body: Body;
  output: Output;
}) {
  const echo = { reference: z.optional(reference) };
  return {
    item: z.extend(single.body, { key_id: keyId, ...echo }),
    body: z.strictObject({ items: z.array(z.unknown()).check(sized(limits.batchItems)) }),
    output: z.object({
      results: z.array(
        z.union([z.extend(single.output, echo), z.object({ error: problemDocument, ...echo })]),
      ),
    }),
  };
}

/** What the reference says about these calls. */
export const aboutBatches = (): Group<typeof batches> => {
  const { calls: single } = aboutDataKeys();
  const { input, output } = single['POST /v1/keys/:key_id/wrap'];
  const unknown = 'Key not found: pass the key_id that POST /v1/keys returned, not the name of the key.';
  return {
    title: 'Batches',
    about: 'Up to 1,000 calls of one kind in one request.',
    calls: {
      'POST /v1/batch/wrap': {
        id: 'wrapKeys',
        about: each,
        problems: ['audit_unwritten'],
        input: {
          items: [
            { ...input, reference: 'row 1' },
            { ...input, key_id: 'patients', reference: 'row 2' },
          ],
        },
        output: {
          results: [
            { ...output, reference: 'row 1' },
            { error: problem('not_found', unknown), reference: 'row 2' },
          ],
        },
      },
      'POST /v1/batch/unwrap': callsOf('unwrapKeys', single['POST /v1/keys/:key_id/unwrap'], [
        'audit_unwritten',
      ]),
      'POST /v1/batch/rewrap': callsOf('rewrapKeys', single['POST /v1/keys/:key_id/rewrap'], [
        'audit_unwritten',
      ]),
      'POST /v1/batch/hash': callsOf('hashValues', aboutServerMode().calls['POST /v1/hash'], []),
    },
  };
};

const each =
  'Takes 1 to 1,000 items. Each is the body of the single call, with `key_id` and an optional `reference`, which the result repeats. The results have the same order. An item that fails has an `error`; the others succeed.';

function callsOf<In, Out>(id: string, { input, output }: CallText<In, Out>, problems: ProblemCode[]) {
  return { id, about: each, problems, input: { items: [input] }, output: { results: [output] } };
}
