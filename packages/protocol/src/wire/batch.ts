import * as z from 'zod/mini';
import { limits } from './limits.ts';
import { hash, rewrap, unwrap, wrap } from './crypto.ts';
import { keyId, reference, sized } from './primitives.ts';
import { problemDocument } from './problems.ts';

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

export const batchWrap = batchOf(wrap);
export const batchUnwrap = batchOf(unwrap);
export const batchRewrap = batchOf(rewrap);
export const batchHash = batchOf({ body: z.omit(hash.body, { key_id: true }), output: hash.output });
