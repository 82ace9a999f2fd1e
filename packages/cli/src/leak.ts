import { printJson, WrongUsage } from './kit/index.ts';
import { InputError } from '@eaas/protocol';
import { inLine } from '@eaas/protocol/internal';
import { CannotStart, openPool } from '@eaas/server/internal';
import type { LeakageReport, PublicValue } from '@eaas/migrate/internal';
import { reporting } from './command.ts';
import { leakDatabaseUrl } from './config.ts';
import { readGiven } from './given-file.ts';
import type { Reporting } from './output.ts';
import { list } from './values.ts';

const variable = 'EAAS_LEAK_DATABASE_URL';

interface LeakOptions extends Reporting {
  readonly columns?: string[];
  readonly schema?: string;
  readonly list: Record<string, string>;
  readonly truth: Record<string, string>;
}

export const leak = reporting(
  'leak',
  "Measure what the index columns of an app's table give away. Reads the index columns of a table in the PostgreSQL of " +
    'EAAS_LEAK_DATABASE_URL: how often fingerprints repeat, and how many rows a public list names by rank matching. Needs ' +
    'no key and no service, and changes nothing. A list is a file with one value per line, most frequent first, or with ' +
    '`value,frequency`.',
  [
    'leak patients',
    'leak patients --list first_name_index=names.csv --json',
    'leak test_patients --list first_name_index=names.csv --truth first_name_index=first_name',
  ],
)
  .argument('<table>', 'the table of the app')
  .option(
    '--columns <columns>',
    'the index columns, separated by commas (default: all that end in _index)',
    list,
  )
  .option('--schema <schema>', 'the schema of the table')
  .option('--list <column=file>', 'a public list for a column; can be repeated', pair, {})
  .option(
    '--truth <column=column>',
    'a plain column with the true values, for test data; can be repeated',
    pair,
    {},
  )
  .action(async (table: string, { columns, schema, list: files, truth, json }: LeakOptions) => {
    const url = leakDatabaseUrl();
    if (url === null) {
      throw new CannotStart(
        `${variable} is not set: set it to the URL of the app's database. A role that can only read the table is enough.`,
      );
    }
    // Imported here, because the other commands do not need the SDK.
    const { DatabaseError, leakageTable, measureLeakage, publicList } =
      await import('@eaas/migrate/internal');
    const lists = Object.fromEntries(
      Object.entries(files).map(([column, file]) => [column, listIn(file, publicList)]),
    );
    const pool = openPool(url, 1);
    const database = {
      query: (statement: string, values: string[]) => pool.unsafe(statement, values),
    };
    try {
      const options = { columns, schema, lists, truth };
      const report: LeakageReport = await measureLeakage(database, table, options);
      if (json) printJson(report);
      else process.stdout.write(`${leakageTable(report)}\n`);
    } catch (error) {
      if (error instanceof DatabaseError)
        throw new CannotStart(`The database of ${variable} cannot be used: ${error.message}.`, {
          cause: error,
        });
      if (error instanceof InputError) throw new WrongUsage(inLine(error.message));
      throw error;
    } finally {
      await pool.end();
    }
  });

function pair(text: string, known: Record<string, string>): Record<string, string> {
  const [, column, value] = /^([^=]+)=(.+)$/.exec(text) ?? [];
  if (column !== undefined && value !== undefined) return { ...known, [column]: value };
  throw new WrongUsage(`Pass a column and a value, as in first_name_index=names.csv (got no \`=\`).`);
}

function listIn(file: string, parse: (text: string) => PublicValue[]): PublicValue[] {
  const text = readGiven(file, 'list');
  try {
    return parse(text);
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    throw new WrongUsage(`The file ${inLine(file)} cannot be used: ${error.message}.`);
  }
}
