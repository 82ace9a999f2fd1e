// How often a tenant's operations were done in a month, from the counts that come with each append. The table of operations
// has it; plugins add counts of their own.
import type { Input, Output } from '@eaas/protocol/wire';
import { allOf, are, type Query } from '../ledger/table.ts';
import { monthOf } from '../ledger/judge.ts';
import { tallies, type TallyRow } from '../ledger/tables.ts';
import type { Caller, Operations, Part } from '../operation.ts';
import type { Service } from '../service.ts';

type Usage = Output<'GET /v1/usage'>;

const counted = ['encrypt', 'decrypt', 'key.wrap', 'key.unwrap'] as const;

const usesOf = (month: string, action: string): Query<TallyRow> => ({
  table: tallies,
  where: are({ month, action }),
  limit: 0,
  sums: ['n'],
});

export const usageOperations = {
  'GET /v1/usage': (_: Service, __: Caller, input: Input<'GET /v1/usage'>): Part<Usage> => ({
    by: 'snapshot',
    needs: ({ now }) => counted.map((action) => allOf(usesOf(input.month ?? monthOf(now), action))),
    judge(view) {
      const { month = monthOf(view.now) } = input;
      const uses = counted.map((action) => [action, view.all(usesOf(month, action)).sums?.['n'] ?? 0]);
      const { monthly_encrypt_quota: encrypt_quota } = view.tenant;
      // Plugins add the rest.
      const answer = { month, operations: Object.fromEntries(uses), encrypt_quota } as Usage;
      return { entries: [], answer };
    },
  }),
} satisfies Partial<Operations>;
