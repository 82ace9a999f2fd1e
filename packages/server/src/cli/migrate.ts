import { migrateDatabase } from '../migrate-database.ts';
import { reporting, requireConfig } from './command.ts';
import { note, printResult } from './output.ts';

/** `eaas migrate`. */
export const migrateCommand = reporting(
  'migrate',
  'Prepare a database, or bring it up to date. Works as the role of EAAS_MIGRATE_DATABASE_URL (else of DATABASE_URL), and ' +
    'grants the role of DATABASE_URL what the server needs and no more. Safe to repeat and to run from several places at once.',
  ['migrate', 'migrate --json'],
).action(async (options: { json?: true }) => {
  const migrated = await migrateDatabase(requireConfig());
  printResult(migrated, options);
  if (migrated.server_role === null) {
    note(
      'Warning: the server would run as the owner of the tables. Give it a role of its own (EAAS_MIGRATE_DATABASE_URL).',
    );
  }
});
