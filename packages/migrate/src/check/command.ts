// The command `npx --no-install @eaas/migrate check`, for CI: compares a definition with a database. Needs no key, and only reads.
import { escapeHidden, progressLine } from '@eaas/protocol/internal';
import { connect } from '../connect.ts';
import { definedIn } from '../definition.ts';
import { parse } from '../options.ts';
import { compare, type Finding } from './compare.ts';

export const help = `Usage: npx --no-install @eaas/migrate check <definition>

Compares a definition with its database, for CI: a module that exports tables of encryptedTable, or one defineFields. Needs
no key, and changes nothing. The exit code is 1 if they differ, and 2 if they could not be compared.

Options:
  --database <address>   postgres://…, mysql://…, file:app.db, or a variable that has it (default: DATABASE_URL)
  --export <name>        the export to compare, if the module has several definitions
  --all                  read all rows, and not only the first and the last 1,000 of each table
  --github               print annotations of GitHub Actions
  --json                 print lines of JSON
  -h, --help             show this help
`;

export async function run(args: readonly string[]): Promise<number> {
  const [{ text, flag }, path = ''] = parse(help, args);
  const lineOf = flag('json') ? JSON.stringify : flag('github') ? annotationOf : textOf;
  const tables = await definedIn(path, text('export'));
  const { database, schema, close } = await connect(text('database'));
  const bar = flag('all') ? progressLine() : undefined;
  const seen = { rows: 0, milliseconds: 0, error: 0, warning: 0, bar };
  try {
    for (const table of tables)
      for await (const finding of compare(database, { ...table, schema: table.schema ?? schema }, seen)) {
        seen[finding.level]++;
        bar?.clear();
        process.stdout.write(`${lineOf(finding)}\n`);
      }
  } finally {
    bar?.clear();
    await close();
  }
  const found = `${seen.error} errors, ${seen.warning} warnings (search for old values: ${seen.milliseconds} ms)`;
  process.stderr.write(`${seen.rows} rows of ${tables.length} tables: ${found}\n`);
  return seen.error > 0 ? 1 : 0;
}

const textOf = ({ level, table, column, message }: Finding): string =>
  escapeHidden(`${level}: ${table}.${column}: ${message}`.replaceAll('\n', ' '));

function annotationOf({ level, table, column, message }: Finding): string {
  const escaped = (text: string, what: RegExp) => text.replaceAll(what, encodeURIComponent);
  return `::${level} title=${escaped(`${table}.${column}`, /[%\r\n:,]/g)}::${escaped(message, /[%\r\n]/g)}`;
}
