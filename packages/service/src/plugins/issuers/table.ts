// The table of issuers: the sign-ins whose tokens the service accepts. The rules and calls of this folder read and write it.
import type { Output } from '@eaas/protocol/wire';
import type { Table } from '../../ledger/table.ts';

type Shown = Output<'GET /v1/issuers'>['issuers'][number];

/** The row of an issuer, most of which the API shows as it is. `jwks` and `require` are canonical JSON. */
export interface IssuerRow extends Omit<Shown, 'expires_at' | 'created_at' | 'revoked_at'> {
  readonly tenant_id: string;
  /** Null if the keys are fetched from `jwks_uri`. */
  readonly jwks: string | null;
  readonly require: string | null;
  readonly expires_at: number | null;
  readonly created_at: number;
  readonly revoked_at: number | null;
  /** The ids of the entries that record the creation, and the last change. */
  readonly created_id: number;
  readonly rev: number;
}

export const issuers: Table<IssuerRow> = {
  name: 'issuers',
  id: ['issuer_id'],
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
  foundBy: 'issuer_id',
  record: {
    label: ['eaas row v1', 'issuers'],
    nameOf: ({ issuer_id }) => issuer_id,
    revOf: ({ rev }) => rev,
  },
};
