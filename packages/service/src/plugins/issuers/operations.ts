// The calls that manage issuers, like those of API keys. The endpoint table names them.
import { parseUuid } from '@eaas/protocol';
import type { Output } from '@eaas/protocol/wire';
import type { View } from '../../ledger/decision.ts';
import { add, allOf, put, refTo } from '../../ledger/table.ts';
import type { Operations, Part } from '../../operation.ts';
import { keyNeedsOf } from '../../operations/api-keys.ts';
import { listing } from '../../operations/reading.ts';
import type { Holder } from '../../rules/authorize.ts';
import type { Changed } from '../../rules/changes.ts';
import { issuerNotFound } from '../../rules/refusal.ts';
import * as rules from './issuer-rules.ts';
import { type IssuerRow, issuers } from './table.ts';

type Fields = Parameters<typeof keyNeedsOf>[0] & { readonly issuer_id: string };

export const issuerOperations = (keyHostFault: rules.KeyHostFault) =>
  ({
    'POST /v1/issuers'(_, { tenantId: tenant_id, actor: created_by }, input) {
      const made = { issuer_id: crypto.randomUUID(), tenant_id, created_by };
      return {
        by: 'append',
        needs: () => [...keyNeedsOf(input), allOf(rules.live)],
        judge(view, giver) {
          const { row, draft } = rules.newIssuer(input, view, giver, made, keyHostFault);
          return { entries: [draft], writes: [add(issuers, row)], answer: rules.issuerRecord(row) };
        },
      };
    },
    'GET /v1/issuers': (_, __, page) => listing(issuers, () => [], page, listed),
    'GET /v1/issuers/:issuer_id': (_, __, input) =>
      withIssuer('snapshot', input, (row) => ({ row, draft: null })),
    'PATCH /v1/issuers/:issuer_id': (_, __, { issuer_id, ...fields }) =>
      withIssuer('append', { issuer_id, ...fields }, (row, view, giver) =>
        rules.patchedIssuer(row, fields, view, giver, keyHostFault),
      ),
    'DELETE /v1/issuers/:issuer_id': (_, __, input) => withIssuer('append', input, rules.revokedIssuer),
  }) satisfies Partial<Operations>;

const listed = <Page>(rows: readonly IssuerRow[], page: Page) => ({
  issuers: rows.map(rules.listedIssuer),
  ...page,
});

/** Shows an issuer after what `rule` makes of it. */
function withIssuer(
  by: 'append' | 'snapshot',
  input: Fields,
  rule: (before: IssuerRow, view: View, giver: Holder | null) => Changed<IssuerRow>,
): Part<Output<'GET /v1/issuers/:issuer_id'>> {
  const id = parseUuid(input.issuer_id);
  return {
    by,
    needs: () => (id === undefined ? [] : [refTo(issuers, id), ...keyNeedsOf(input)]),
    judge(view, giver) {
      const before = id === undefined ? null : view.find(issuers, id);
      if (!before) throw issuerNotFound();
      const { row, draft } = rule(before, view, giver);
      const writes = draft ? [put(issuers, row)] : [];
      return { entries: draft ? [draft] : [], writes, answer: rules.issuerRecord(row) };
    },
  };
}
