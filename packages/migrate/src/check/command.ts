// The command `npx --no-install @eaas/migrate check`, for CI: compares a definition with a database. Only reads, and needs no key
// but for fields that were renamed.
import { escapeHidden, progressLine } from '@eaas/protocol/internal';
import { clientOf, connect, variable } from '../connect.ts';
import { definedIn } from '../definition.ts';
import { parse } from '../options.ts';
import { compare, type Finding } from './compare.ts';

export const help = `Usage: npx --no-install @eaas/migrate check <definition>

Compares a definition with its database, for CI: a module that exports tables of encryptedTable, or one defineFields. Needs
no key, and changes nothing; with the variables of the app, it also looks for values under the names of \`renamedFrom\`. The exit
code is 1 if they differ, and 2 if they could not be compared.

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
  const columns = tables.flatMap(({ fields, name }) => Object.values<unknown>({ ...fields.tables[name] }));
  const isMoving = columns.some((column) => 'write' in Object(column));
  const client =
    isMoving && (variable('EAAS_LOCAL') ?? variable('EAAS_API_KEY')) ? await clientOf() : undefined;
  const seen = { rows: 0, milliseconds: 0, error: 0, warning: 0, bar, client };
  try {
    const index = variable('EAAS_INDEX_KEY');
    for (const each of tables.map((table) => ({ ...table, index, schema: table.schema ?? schema }))) {
      for await (const finding of compare(database, each, seen)) {
        seen[finding.level]++;
        bar?.clear();
        process.stdout.write(`${lineOf(finding)}\n`);
      }
    }
  } finally {
    bar?.clear();
    await close();
    await client?.close();
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
