// The calls that manage issuers, like those of API keys. The endpoint table names them.
import { add, allOf } from '../../ledger/table.ts';
import type { Operations } from '../../operation.ts';
import { keyNeedsOf, listing, recordsOf } from '../../operations/records.ts';
import * as rules from './issuer-rules.ts';
import { type IssuerRow, issuers } from './table.ts';

const records = recordsOf(
  issuers,
  'Issuer not found: pass the issuer_id that POST /v1/issuers returned.',
  rules.issuerRecord,
);

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
    'GET /v1/issuers/:issuer_id': (_, __, { issuer_id }) => records.show(issuer_id),
    'PATCH /v1/issuers/:issuer_id': (_, __, { issuer_id, ...fields }) =>
      records.change(issuer_id, (...of) => rules.patchedIssuer(fields, keyHostFault, ...of), fields),
    'DELETE /v1/issuers/:issuer_id': (_, __, { issuer_id }) => records.change(issuer_id, rules.revokedIssuer),
  }) satisfies Partial<Operations>;

const listed = <Page>(rows: readonly IssuerRow[], page: Page) => ({
  issuers: rows.map(rules.listedIssuer),
  ...page,
});
