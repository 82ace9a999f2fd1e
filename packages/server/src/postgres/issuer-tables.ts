// The tables of the sign-ins whose tokens the service accepts.
import { type RowOf, tableOf } from '@eaas/service';

/** The keys of a sign-in as they were last fetched. The replicas share them. */
const keySet = {
  tenant_id: 'uuid',
  issuer_id: 'uuid',
  /** Where they were fetched: those of another URI say nothing. */
  jwks_uri: 'text',
  /** The public keys as canonical JSON. */
  jwks: 'text',
  /** When the fetch began. */
  fetched_at: 'number',
} as const;

export type KeySetRow = RowOf<typeof keySet>;

export const keySets = tableOf<KeySetRow>('key_sets', ['issuer_id'], keySet, {
  label: ['eaas row v1', 'key_sets'],
  isLoose: true,
});

export const issuers = `
-- The lists of keys and of required claims are canonical JSON, because a MAC needs exactly one encoding.
create table eaas.issuers (
  tenant_id uuid not null,
  issuer_id uuid not null,
  name text not null,
  kind text not null,
  issuer text not null,
  audience text not null,
  authorized_parties text[],
  jwks text,
  jwks_uri text,
  permissions text[] not null,
  key_ids uuid[] not null,
  allowed_origins text[],
  subject_claim text not null,
  subject_prefix text not null,
  any_subject boolean not null,
  require text,
  max_age_seconds bigint not null,
  expires_at bigint,
  created_at bigint not null,
  created_by text not null,
  revoked_at bigint,
  created_id bigint not null,
  rev bigint not null,
  mac bytea not null,
  primary key (tenant_id, issuer_id)
);
create index issuers_by_id on eaas.issuers (issuer_id);
create index issuers_by_age on eaas.issuers (tenant_id, created_id);

-- The keys of the issuers with a jwks_uri, as they were last fetched. No entry records a fetch, so an older row can be put back.
-- It counts for a day at most.
create table eaas.key_sets (
  tenant_id uuid not null,
  issuer_id uuid not null,
  jwks_uri text not null,
  jwks text not null,
  fetched_at bigint not null,
  mac bytea not null,
  primary key (tenant_id, issuer_id),
  foreign key (tenant_id, issuer_id) references eaas.issuers
);
`;
