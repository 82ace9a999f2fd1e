import type { IssuerFields, LiveIssuer } from '@eaas/protocol/service';
import { countRows, first, type Loaded, loadPage, loadRowsById } from './rows.ts';
import type { RecordedRow, Table } from './rows.ts';
import type { Sql } from './sql.ts';

export interface IssuerRow extends IssuerFields, RecordedRow {
  readonly created_id: number;
}

export const issuerTable: Table<IssuerRow> = {
  name: 'issuers',
  id: 'issuer_id',
  label: ['eaas row v1', 'issuers'],
  columns: [
    'issuer_id',
    'tenant_id',
    'name',
    'issuer',
    'audience',
    'authorized_parties',
    'jwks',
    'jwks_uri',
    'permissions',
    'key_ids',
    'allowed_origins',
    'subject_claim',
    'subject_prefix',
    'any_subject',
    'require',
    'max_age_seconds',
    'expires_at',
    'created_at',
    'created_by',
    'revoked_at',
    'created_id',
    'rev',
  ],
  booleans: ['any_subject'],
  numbers: ['max_age_seconds', 'expires_at', 'created_at', 'revoked_at', 'created_id', 'rev'],
};

export function findIssuer(
  sql: Sql,
  tenantId: string,
  issuerId: string,
): Promise<Loaded<IssuerRow> | undefined> {
  return first(loadRowsById(sql, issuerTable, tenantId, [issuerId]));
}

/**
 * What a new issuer is compared with: those that are not revoked, at most 32, so no index is needed. No MAC is checked, as it
 * would need the keys of all. Whoever changes a row to hide it can as well say that it is revoked.
 */
export function liveIssuers(sql: Sql, tenantId: string): Promise<LiveIssuer[]> {
  return sql<LiveIssuer[]>`
    select issuer, subject_claim, subject_prefix, any_subject from eaas.issuers
    where tenant_id = ${tenantId} and revoked_at is null`;
}

export function listIssuers(sql: Sql, tenantId: string, page: { limit: number; offset: number }) {
  return loadPage(sql, issuerTable, tenantId, sql`eaas.issuers where tenant_id = ${tenantId}`, page);
}

export function countIssuers(sql: Sql, tenantId: string): Promise<number> {
  return countRows(sql, sql`eaas.issuers where tenant_id = ${tenantId}`);
}

interface PublisherRow {
  readonly tenant_id: string;
  readonly issuer_id: string;
  readonly jwks_uri: string;
}

/** The live issuers of all tenants whose keys are fetched. No MAC is checked: this is for a report. */
export function publishers(sql: Sql): Promise<PublisherRow[]> {
  return sql<PublisherRow[]>`
    select tenant_id, issuer_id, jwks_uri from eaas.issuers
    where jwks_uri is not null and revoked_at is null order by tenant_id, issuer_id`;
}
