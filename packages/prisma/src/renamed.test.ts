// Fields under a name that is not their first.
import { defineFields, field } from '@eaas/sdk/fields';
import { expect, test } from 'vitest';
import { columns, modelsWith } from '../test/played.ts';
import { withSchema } from './schema.ts';

const people = { table: 'Person', field: 'mail' };
const bare = field.text({ renamedFrom: people });
const models = { models: { Member: { fields: columns('id', 'city', 'email', 'email_index') } } };

test.each([
  'email_index String? @unique',
  'email_index String? @db.Text @unique(map: "unique, it is")',
  '@@unique([city, email_index], name: "home")\n email_index String?',
])('promise: no duplicate passes a unique index after a rename: %s', (lines) => {
  const open = (email: object, own = lines) =>
    modelsWith(
      withSchema(models, `model Member {\n ${own}\n}`),
      defineFields({ Member: { email } } as never),
    );
  const remedy = "Member.email_index: write `searchable({ boundTo: { table: 'Person', field: 'mail' } })`";
  expect(() => open(bare.searchable())).toThrow(remedy);
  open(bare.searchable({ boundTo: people }));
  open(bare.searchable(), 'email_index String?\n}\nmodel Other {\n email_index String? @unique');
});
