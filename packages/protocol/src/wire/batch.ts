import * as z from 'zod/mini';
import { limits } from './limits.ts';
import { hash, rewrap, unwrap, wrap } from './crypto.ts';
import { keyId, reference } from './primitives.ts';
import { problemDocument } from './problem-document.ts';

/**
 * A batch of single calls. The body's items are checked one by one against `item`, so that a malformed one
 * fails alone; each result is the single call's answer, or its problem.
 */
function batchOf<Body extends z.ZodMiniObject, Output extends z.ZodMiniObject>(single: {
  body: Body;
  output: Output;
}) {
  const echo = { reference: z.optional(reference) };
  return {
    item: z.extend(single.body, { key_id: keyId, ...echo }),
    body: z.strictObject({
      items: z
        .array(z.unknown())
        .check(
          z.refine(
            (items) => items.length >= 1 && items.length <= limits.batchItems,
            `must have 1 to ${limits.batchItems} items`,
          ),
        ),
    }),
    output: z.object({
      results: z.array(
        z.union([z.extend(single.output, echo), z.object({ error: problemDocument, ...echo })]),
      ),
    }),
  };
}

export const batchWrap = batchOf(wrap);
export const batchUnwrap = batchOf(unwrap);
export const batchRewrap = batchOf(rewrap);
export const batchHash = batchOf({ body: z.omit(hash.body, { key_id: true }), output: hash.output });
