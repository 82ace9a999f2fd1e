// The plugin for Kysely. `records` of the SDK encrypts rows before a write, finds fingerprints for a search, and decrypts rows after
// a read. The plugin refuses a query that forgot it, before it is sent.
import type { FieldsDefinition, FieldsTables } from '@eaas/sdk/fields';
import type { KyselyPlugin } from 'kysely';
import { check } from './check.ts';
import { tablesOf } from './columns.ts';

/**
 * Makes Kysely refuse queries that would store or compare plaintext in encrypted columns, or compute with ciphertexts. It throws
 * EncryptedTableError, with the remedy, before the query is sent.
 *
 * Put it first in `plugins`. Before or after CamelCasePlugin is both safe, but a plugin of your own that changes names must come
 * after it. Kysely shows it no query that is compiled already, such as `CompiledQuery.raw`.
 *
 * @example
 * ```ts
 * import { encryptedColumns } from '@eaas/kysely';
 * import { defineFields, field, unencrypted } from '@eaas/sdk/fields';
 *
 * const fields = defineFields({ patients: { ...unencrypted('id'), ssn: field.text().searchable() } });
 * const db = plain.withPlugin(encryptedColumns(fields)); // plain: a Kysely database
 * const forgot = () => db.insertInto('patients').values({ id: '1', ssn: '123-45-6789' }).execute();
 * console.log(await forgot().catch(({ code }) => code)); // not_encrypted
 * ```
 */
export function encryptedColumns<T extends FieldsTables>(fields: FieldsDefinition<T>): KyselyPlugin {
  const known = tablesOf(fields.describe());
  return {
    transformQuery({ node }) {
      // What defines tables has no values of rows.
      if (!/^(?:Create|Alter|Drop|Refresh)/.test(node.kind)) check(node, known);
      return node;
    },
    transformResult: async ({ result }) => result,
  };
}
