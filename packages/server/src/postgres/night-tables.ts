// What the nightly verification keeps of each tenant, and of all together (jobs/verify-nightly.ts).
import { type RowOf, tableOf } from '@eaas/service';

/** The last verification of a tenant: its newest entry then. That of all tenants has the time when it ended as its id. */
const verified = {
  tenant_id: 'uuid',
  id: 'number',
  hash: 'bytes',
  /** How many tenants were broken. */
  broken: 'number',
  /** In days since 1970. */
  night: 'number',
} as const;

export type Verified = RowOf<typeof verified>;

export const verifications = tableOf<Verified>('verifications', ['tenant_id'], verified, {
  label: ['eaas verification v1'],
  isLoose: true,
});

export const nights = `
create table eaas.verifications (
  tenant_id uuid primary key,
  id bigint not null,
  hash bytea not null,
  broken bigint not null,
  night bigint not null,
  mac bytea not null
);
`;
