// What the nightly verification keeps of each tenant, and of all together (jobs/verify-nightly.ts).
import type { SchemaPlugin } from '../tables.ts';

export const nights: SchemaPlugin = {
  tables: [{ name: 'verifications', id: ['tenant_id'], changes: [] }],
  schema: `
create table eaas.verifications (
  tenant_id uuid primary key,
  id bigint not null,
  hash bytea not null,
  broken bigint not null,
  night bigint not null,
  mac bytea not null
);
`,
  rights: ['update on eaas.verifications'],
};
