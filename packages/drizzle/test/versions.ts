import { field, plaintext } from '@eaas/sdk/fields';
import { type Dialect, dialects } from './dialects.ts';

/**
 * Two tables of an app, and what becomes of them: an encrypted one gets another column, and a plain one is encrypted. In
 * the last version, its old values are gone. `unique` is for the indexes of both new columns.
 */
export function versionsOf(name: keyof typeof dialects, unique: boolean) {
  const { encrypted, encryptedTable, table, id, text }: Dialect = dialects[name];
  const searchable = (previous: object) => {
    const column = encrypted(field.text(previous).searchable());
    return unique ? column.unique() : column;
  };
  const first = { id: id().primaryKey(), name: encrypted(field.text()) };
  const members = () =>
    encryptedTable('members', {
      id: id().primaryKey(),
      name: encrypted(field.text()),
      phone: searchable({}),
    });
  const guests = (previous: object) =>
    encryptedTable('guests', { id: id().primaryKey(), email: searchable(previous).notNull() });
  return [
    {
      members: encryptedTable('members', first),
      guests: table('guests', { id: id().primaryKey(), email: text().notNull() }),
    },
    { members: members(), guests: guests({ previous: plaintext() }) },
    { members: members(), guests: guests({}) },
  ] as const;
}
