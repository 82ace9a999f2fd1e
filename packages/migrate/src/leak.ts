// The command `npx --no-install @eaas/migrate leak`: prints what the index columns of a table give away. Needs no key, and changes
// nothing.
import { readFileSync } from 'node:fs';
import { InputError } from '@eaas/protocol';
import { inLine } from '@eaas/protocol/internal';
import { placeOf } from './adopt/place.ts';
import { connect } from './connect.ts';
import { leakageTable, measureLeakage, publicList } from './leakage.ts';
import { parse } from './options.ts';

export const help = `Usage: npx --no-install @eaas/migrate leak <place> <table>

Measures what the index columns of a table give away: how often fingerprints repeat, and how many rows a public list names
by rank matching. Needs no key and no service, and changes nothing: a role that can only read the table is enough. The place
is as for \`adopt\`, and the table may have its schema before it, as in wards.patients.

Options:
  --columns <columns>      the index columns, separated by commas (default: all that end in _index)
  --list <column=file>     a public list for a column; repeat it for further columns
  --json                   print the result as one line of JSON
  -h, --help               show this help

A list is a file with one value per line, most frequent first.
`;

export async function run(args: readonly string[]): Promise<number> {
  const [{ texts, list, flag }, where = '', name = ''] = parse(help, args);
  const lists = Object.fromEntries(texts('list').map(listIn));
  const { names, address } = await placeOf(where, name);
  const { database, close } = await connect(address);
  const options = { columns: list('columns'), schema: names.schema, lists };
  const report = await measureLeakage(database, names.table, options).finally(close);
  process.stdout.write(`${flag('json') ? JSON.stringify(report) : leakageTable(report)}\n`);
  return 0;
}

/** Reads the list for a column. */
function listIn(given: string): [column: string, list: string[]] {
  const [, column, file] = /^([^=]+)=(.+)$/.exec(given) ?? [];
  if (column === undefined || file === undefined) {
    throw new InputError('pass a column and a value, as in first_name_index=names.csv (got no `=`)');
  }
  try {
    return [column, publicList(readFileSync(file, 'utf8'))];
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new InputError(`the list ${inLine(file)} cannot be read: ${code}`);
  }
}
