// The tables of the sign-ins whose tokens the service accepts. `storedTables` has them.
import type { SchemaPlugin } from '../tables.ts';

export const issuers: SchemaPlugin = {
  tables: [
    {
      name: 'issuers',
      id: ['issuer_id'],
      uuids: ['issuer_id'],
      recorded: 't.issuer_id',
      foundBy: 'issuer_id',
    },
    { name: 'key_sets', id: ['issuer_id'], uuids: ['issuer_id'] },
  ],
  schema: `
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
`,
};
