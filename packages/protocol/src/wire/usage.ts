// The call that counts a tenant's operations in a month, next to the quota of encryptions and the number of people.
import * as z from 'zod/mini';
import type { Endpoints, Group } from './endpoint.ts';
import { count, text } from './primitives.ts';

export const usage = {
  'GET /v1/usage': {
    permission: 'usage.read',
    onServers: true,
    summary: 'Count the operations of a month',
    snapshot: true,
    query: z.strictObject({
      month: z.optional(text((text) => /^\d{4}-(0[1-9]|1[0-2])$/.test(text), 'must be a month like 2026-11')),
    }),
    output: z.object({
      month: z.string(),
      operations: z.object({ encrypt: count, decrypt: count, 'key.wrap': count, 'key.unwrap': count }),
      encrypt_quota: z.nullable(count),
      subjects: count,
    }),
  },
} satisfies Endpoints;

/** What the reference says about these calls. */
export const aboutUsage = (): Group<typeof usage> => ({
  title: 'Usage',
  about: 'Operations per month.',
  fields: {
    decrypt: 'Decryptions.',
    encrypt: 'The number of encryptions that succeeded.',
    encrypt_quota: 'The number of encryptions allowed per month. Null if unlimited.',
    'key.unwrap': 'The number of unwrapped data keys.',
    'key.wrap': 'The number of wrapped data keys.',
    month: 'A month, as in 2026-11.',
    operations: 'The number of operations of each kind.',
    'getUsage.subjects': 'The number of subjects that exist now. Erased ones do not count.',
  },
  calls: {
    'GET /v1/usage': {
      id: 'getUsage',
      about:
        'Returns the operations of a month (UTC), by default the current one. Every item of a batch ' +
        'counts. Only encrypt has a quota; null is unlimited. `subjects` is always the number of today.',
      input: { month: '2026-11' },
      output: {
        month: '2026-11',
        operations: { encrypt: 310, decrypt: 1290, 'key.wrap': 18044, 'key.unwrap': 20311 },
        encrypt_quota: 100000,
        subjects: 5127,
      },
    },
  },
});
