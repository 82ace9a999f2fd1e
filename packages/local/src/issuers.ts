import { parseUuid } from '@eaas/protocol';
import {
  type Changed,
  type IssuerFields,
  issuerNotFound,
  issuerRecord,
  listedIssuer,
  newIssuer,
  patchedIssuer,
  revokedIssuer,
} from '@eaas/protocol/service';
import type { Output } from '@eaas/protocol/wire';
import { knownTo } from './api-keys.ts';
import { type Operations, pageOf, record, type TenantCall } from './tenant.ts';

/** The records of issuers. This service does not accept their tokens, so it fetches no keys. */
export const issuerOperations = {
  'POST /v1/issuers': (call, input) => {
    const { issuers } = call.tenant;
    const others = [...issuers.values()].filter(({ revoked_at }) => revoked_at === null);
    const made = { issuerId: crypto.randomUUID(), createdBy: call.actor, others };
    const { row, draft } = newIssuer(input, call, { ...knownTo(call, input), keyHostFault, ...made });
    issuers.set(row.issuer_id, row);
    record(call, draft);
    return issuerRecord(row);
  },
  'GET /v1/issuers': ({ tenant }, query) => {
    const { items, page } = pageOf(Array.from(tenant.issuers.values()), query);
    return { issuers: items.map(listedIssuer), ...page };
  },
  'GET /v1/issuers/:issuer_id': (call, { issuer_id }) => issuerRecord(requireIssuer(call, issuer_id)),
  'PATCH /v1/issuers/:issuer_id': (call, { issuer_id, ...input }) =>
    change(call, issuer_id, (before) =>
      patchedIssuer(before, input, call, { ...knownTo(call, input), keyHostFault }),
    ),
  'DELETE /v1/issuers/:issuer_id': (call, { issuer_id }) =>
    change(call, issuer_id, (before) => revokedIssuer(before, call)),
} satisfies Partial<Operations>;

function change(
  call: TenantCall,
  issuerId: string,
  rule: (before: IssuerFields) => Changed<IssuerFields>,
): Output<'GET /v1/issuers/:issuer_id'> {
  const { row, draft } = rule(requireIssuer(call, issuerId));
  call.tenant.issuers.set(row.issuer_id, row);
  record(call, draft);
  return issuerRecord(row);
}

const keyHostFault = () => 'names a host, but this service fetches no keys: send `jwks`';

function requireIssuer({ tenant }: TenantCall, text: string): IssuerFields {
  const issuer = tenant.issuers.get(parseUuid(text) ?? '');
  if (!issuer) throw issuerNotFound();
  return issuer;
}
