// Fields under a name that is not their first.
import { defineFields, field } from '@eaas/sdk/fields';
import { expect, test } from 'vitest';
import { columns, modelsWith } from '../test/played.ts';
import { withSchema } from './schema.ts';

const people = { table: 'Person', field: 'mail' };
const options = { renamedFrom: people };
const models = { models: { Member: { fields: columns('id', 'city', 'email', 'email_index') } } };
const own = '\n @@index([email_index])';

test.each([
  ['@unique', ''],
  ['@db.Text @unique(map: "unique, it is")', ''],
  ['', '\n @@unique([city, email_index], name: "home")'],
])('promise: no duplicate passes a unique index after a rename: %s%s', (unique, more) => {
  const schema = `model Member {\n id String @id\n email String?\n email_index String? ${unique}${more}${own}\n}`;
  const open = (email: ReturnType<typeof field.text>, by = schema) =>
    modelsWith(withSchema(models, by), defineFields({ Member: { email } }));
  const bare = field.text(options).searchable();
  expect(() => open(bare as never)).toThrow(
    "so fingerprints of Member.email keep the earlier name: write `searchable({ boundTo: { table: 'Person', field: 'mail' } })`",
  );
  open(field.text(options).searchable({ boundTo: people }) as never);
  open(field.text().searchable() as never);
  open(
    bare as never,
    `model Member {\n email_index String?${own}\n}\nmodel Other {\n email_index String? @unique\n}`,
  );
});
