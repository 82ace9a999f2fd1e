// The table of issuers: the sign-ins whose tokens the service accepts. The rules and calls of this folder read and write it.
import type { Output } from '@eaas/protocol/wire';
import { type RowOf, tableOf } from '../../ledger/table.ts';
import { granted } from '../../ledger/tables.ts';

const issuer = {
  issuer_id: 'uuid',
  tenant_id: 'uuid',
  name: 'text',
  kind: 'text',
  issuer: 'text',
  audience: 'text',
  authorized_parties: 'texts?',
  /** Canonical JSON. Null if the keys are fetched from `jwks_uri`. */
  jwks: 'text?',
  jwks_uri: 'text?',
  permissions: 'texts',
  key_ids: 'texts',
  allowed_origins: 'texts?',
  subject_claim: 'text',
  subject_prefix: 'text',
  any_subject: 'boolean',
  /** Canonical JSON. */
  require: 'text?',
  max_age_seconds: 'number',
  ...granted,
} as const;

type Shown = Output<'GET /v1/issuers'>['issuers'][number];

/** The row of an issuer, most of which the API shows as it is. */
export interface IssuerRow extends RowOf<typeof issuer> {
  readonly kind: Shown['kind'];
  readonly permissions: Shown['permissions'];
}

export const issuers = /* @__PURE__ */ tableOf<IssuerRow>('issuers', ['issuer_id'], issuer, {
  foundBy: 'issuer_id',
});
