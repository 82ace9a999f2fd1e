import { randomUUID } from 'node:crypto';
import { parseUuid } from '@eaas/protocol';
import {
  type Changed,
  issuerNotFound,
  issuerRecord,
  listedIssuer,
  newIssuer,
  patchedIssuer,
  revokedIssuer,
} from '@eaas/protocol/service';
import { type Input, limits, type Output } from '@eaas/protocol/wire';
import type { Service } from '../app/service.ts';
import type { TenantSecrets } from '../crypto/key-hierarchy.ts';
import type { Caller } from '../state/caller.ts';
import { change, type Change } from '../state/change.ts';
import { available } from '../state/decide.ts';
import { checked, seal } from '../state/integrity.ts';
import {
  countIssuers,
  findIssuer,
  type IssuerRow,
  issuerTable,
  listIssuers,
  liveIssuers,
} from '../store/issuers.ts';
import { insertRow, type Loaded, updateRow } from '../store/rows.ts';
import { type Sql, together, type Transaction } from '../store/sql.ts';
import { knownKeyIds } from './api-keys.ts';
import { eachRow, listing, type Operations, reading } from './operation.ts';

type IssuerRecord = Output<'GET /v1/issuers/:issuer_id'>;
type Columns = Omit<IssuerRow, 'mac'>;

export const issuerOperations = {
  'POST /v1/issuers': createIssuer,
  'GET /v1/issuers': listing(async (tx, { state }, { limit = limits.pageDefault, offset = 0 }) => {
    const { tenant_id: tenantId } = state.tenant;
    const [loaded, total] = await Promise.all([
      listIssuers(tx, tenantId, { limit, offset }),
      countIssuers(tx, tenantId),
    ]);
    return eachRow(
      loaded,
      (row) => listedIssuer(checked(state.secrets, issuerTable, row)),
      (issuers) => ({ issuers, count: issuers.length, total, limit, offset }),
    );
  }),
  'GET /v1/issuers/:issuer_id': reading(async (tx, { state }, { issuer_id }) =>
    issuerRecord(requireIssuer(state.secrets, await loadIssuer(tx, state.tenant.tenant_id, issuer_id))),
  ),
  'PATCH /v1/issuers/:issuer_id': changingIssuer(
    (before, open, known, input: Input<'PATCH /v1/issuers/:issuer_id'>) =>
      patchedIssuer(before, input, open, known),
  ),
  'DELETE /v1/issuers/:issuer_id': changingIssuer((before, open) => revokedIssuer(before, open)),
} satisfies Partial<Operations>;

function createIssuer(
  service: Service,
  caller: Caller,
  input: Input<'POST /v1/issuers'>,
): Promise<IssuerRecord> {
  const { tenantId, actor: createdBy } = caller;
  const issuerId = randomUUID();
  return available(() =>
    change(service, caller, {
      load: (tx) => together([liveIssuers(tx, tenantId), knownKeyIds(tx, tenantId, input)]),
      decide(open, [others, keyIds]) {
        const { secrets } = open.state;
        const made = { ...knownTo(service, open, keyIds), issuerId, createdBy, others };
        const { row, draft } = newIssuer(input, open, made);
        const stored = { ...row, tenant_id: tenantId, created_id: open.entryId };
        const sealed = seal(secrets, issuerTable, stored);
        const write = (tx: Transaction) => [insertRow(tx, issuerTable, sealed)];
        return { draft, rowId: issuerId, answer: issuerRecord(row), write };
      },
    }),
  );
}

interface Named {
  readonly issuer_id: string;
  readonly key_ids?: string[] | undefined;
}

/** Makes the operation that changes an issuer by a rule. */
function changingIssuer<Request extends Named>(
  rule: (
    before: Columns,
    open: Change,
    known: ReturnType<typeof knownTo>,
    input: Request,
  ) => Changed<Columns>,
) {
  return (service: Service, caller: Caller, input: Request): Promise<IssuerRecord> => {
    const { tenantId } = caller;
    return change(service, caller, {
      load: (tx) => together([loadIssuer(tx, tenantId, input.issuer_id), knownKeyIds(tx, tenantId, input)]),
      decide(open, [found, keyIds]) {
        const { secrets } = open.state;
        const { row, draft } = rule(
          requireIssuer(secrets, found),
          open,
          knownTo(service, open, keyIds),
          input,
        );
        return {
          draft,
          rowId: row.issuer_id,
          answer: issuerRecord(row),
          write: (tx) => [updateRow(tx, issuerTable, seal(secrets, issuerTable, row))],
        };
      },
    });
  };
}

const knownTo = ({ keyHosts }: Service, open: Change, keyIds: ReadonlySet<string>) => ({
  giver: open.apiKey,
  keyIds,
  keyHostFault: (uri: string) => keyHosts.faultOf(uri),
});

async function loadIssuer(sql: Sql, tenantId: string, id: string) {
  const issuerId = parseUuid(id);
  return issuerId === undefined ? undefined : findIssuer(sql, tenantId, issuerId);
}

function requireIssuer(secrets: TenantSecrets, found: Loaded<IssuerRow> | undefined): IssuerRow {
  if (!found) throw issuerNotFound();
  return checked(secrets, issuerTable, found);
}
