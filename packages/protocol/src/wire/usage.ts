import * as z from 'zod/mini';
import { count } from './primitives.ts';

export const getUsage = {
  query: z.strictObject({
    month: z.optional(
      z
        .string()
        .check(z.refine((text) => /^\d{4}-(0[1-9]|1[0-2])$/.test(text), 'is not a month as in 2026-11')),
    ),
  }),
  output: z.object({
    month: z.string(),
    operations: z.object({ encrypt: count, decrypt: count, 'key.wrap': count, 'key.unwrap': count }),
    encrypt_quota: z.nullable(count),
  }),
};
