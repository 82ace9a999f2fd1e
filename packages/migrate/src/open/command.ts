// The command `npx --no-install @eaas/migrate open`: writes values of a table in clear, for whoever needs them, and says how the audit
// log shows it.
import { InputError } from '@eaas/protocol';
import { progressLine } from '@eaas/protocol/internal';
import type { Receipt } from '@eaas/protocol/wire';
import type { EaasClient } from '@eaas/sdk';
import { FieldError } from '@eaas/sdk/fields';
import { requireField } from '@eaas/sdk/internal';
import { clientOf, connect } from '../connect.ts';
import { definedIn } from '../definition.ts';
import { codecOf } from '../encrypting.ts';
import { parse } from '../options.ts';
import { failureOf, type Row, type RowId } from '../rows.ts';
import { type Target, targetOf, withEach } from '../source.ts';
import { writeTo } from './file.ts';
import { linesOf } from './lines.ts';
import { givenRows, storedRows } from './rows.ts';

export const help = `Usage: npx --no-install @eaas/migrate open <definition> <table> --columns <names> --out <file>

Writes values in clear. The definition is a module of your app that exports \`defineFields\`, or tables of @eaas/drizzle.

Options:
  --columns <names>        the columns to open, with commas between them
  --out <file>             a new file, which only you can read, or - for a pipe
  --csv                    write CSV, and not NDJSON, also if the file does not end in .csv
  --exact                  write CSV without a ' before what a spreadsheet takes for a formula
  --where-id-file <file>   open only the rows with the ids in this file, one on each line
  --stdin                  open the rows on standard input, NDJSON with the id and the columns, without a database
  --database <address>     the address of the database (default: DATABASE_URL)
  --id <column>            the primary key or another unique column, if the command cannot know it
  --export <name>          the export of the definition, if it has several
  --as <user>              the user of your app for whom the values are, as the audit log shows it
  --skip-failed            leave out rows that do not open, and name them
  -h, --help               show this help

The keys are those of the app: EAAS_LOCAL, or EAAS_BASE_URL, EAAS_API_KEY and EAAS_KEY_ID, and EAAS_HALF. Variables can be in .env.
`;

/** Runs the command, and returns its exit code: 0 if every row was written, and 1 if one failed. */
export async function run(args: readonly string[]): Promise<number> {
  const [{ text, list, flag }, path = '', table = ''] = parse(help, args);
  const columns = list('columns');
  const out = text('out');
  const user = text('as');
  const idFile = text('where-id-file');
  if (!columns || !out) throw new InputError('pass `--columns` and `--out`');
  if (flag('stdin') && idFile !== undefined) throw new InputError('pass `--stdin` or `--where-id-file`');

  const [defined] = await definedIn(path, text('export'), table);
  let firstEntry: Receipt | undefined;
  const client = await clientOf((event) => {
    if (event.type === 'call') firstEntry ??= event.entries?.[0] ?? event.entry;
  });
  const connection = flag('stdin') ? undefined : await connect(text('database'));
  const progress = progressLine();
  const counts = { rows: 0, values: 0, failures: 0 };
  const isWhole = (): boolean => counts.failures === 0 || flag('skip-failed');
  const fail = (message: string): void => {
    counts.failures++;
    progress.clear();
    process.stderr.write(`${message}\n`);
  };

  try {
    const place = { id: text('id') ?? defined.id, schema: defined.schema ?? connection?.schema };
    const target = targetOf(connection?.database ?? {}, table, { ...defined, ...place });
    const openRows = opener(target, user === undefined ? client : client.as(user), columns, fail);
    const opened = columns.map((column) => requireField(target.plan, column).name);
    const names = [target.id, ...opened];
    const pages = flag('stdin') ? givenRows(names, process.stdin) : storedRows(target, fail, idFile);
    const isCsv = flag('csv') || out.endsWith('.csv');
    const lineOf = linesOf(names, isCsv, flag('exact'));

    async function* lines() {
      if (isCsv) yield lineOf(Object.fromEntries(names.map((name) => [name, name])));
      for await (const page of pages) {
        const rows = await openRows(page);
        if (!isWhole()) return;

        counts.rows += rows.length;
        for (const name of opened) counts.values += rows.filter((row) => row[name] !== null).length;
        progress.show(counts.rows, undefined, `opened ${counts.rows.toLocaleString('en')} rows`);
        yield rows.map(lineOf).join('');
      }
    }

    const begin = new Date().toISOString();
    await writeTo(out, lines(), isWhole);
    const end = new Date().toISOString();

    progress.clear();
    const actor = await actorOf(client, firstEntry);
    process.stderr.write(`${summaryOf(counts)}\nAPI key: ${actor}, from ${begin} to ${end}\n`);
    return counts.failures > 0 ? 1 : 0;
  } finally {
    await connection?.close();
    await client.close();
  }
}

/**
 * Returns a function that decrypts some columns of a page of rows, and leaves out each row that does
 * not open, of which it tells `fail`.
 */
function opener(
  target: Target,
  client: EaasClient,
  columns: readonly string[],
  fail: (message: string) => void,
): (page: readonly Row[]) => Promise<Row[]> {
  const { id, name: table, plan } = target;
  // No value needs a fingerprint.
  const unindexed = withEach(target, () => ({ index: undefined, parts: undefined }));
  const codec = codecOf(unindexed, client);
  const opened = new Set(columns.map((column) => requireField(plan, column).name));
  const unopened = plan.fields.filter(({ name }) => !opened.has(name));
  const options = {
    settled: true,
    onError: (error: FieldError) => (error.code === 'subject_erased' ? null : error),
    as: Object.fromEntries(unopened.map(({ name }) => [name, null])),
  };

  return async (page) => {
    const results = await codec.decryptRows(table, page, (row) => row[id] as RowId, options);
    const rows: Row[] = [];
    for (const result of results) {
      // What is wrong with the call is wrong with every row.
      if (!result.ok) throw result.error;

      const error = Object.values(result.value).find((value) => value instanceof FieldError);
      if (error) fail(failureOf(error, result.value[id] as RowId, table).message);
      else rows.push(result.value);
    }
    return rows;
  };
}

const summaryOf = (counts: object): string =>
  Object.entries(counts)
    .map(([what, count]: [string, number]) => `${what}: ${count.toLocaleString('en')}`)
    .join(', ');

/** Who made an entry of the audit log. Only an API key that may read the log learns its own id. */
async function actorOf(client: EaasClient, entry: Receipt | undefined): Promise<string> {
  if (!entry) return 'no entry of an audit log';
  const entries = client.audit.list({}, { from: entry.id, pageSize: 1 });
  const { value } = await entries.next().catch(() => ({ value: undefined }));
  return value?.actor ?? `the actor of entry ${entry.id} of the audit log`;
}
