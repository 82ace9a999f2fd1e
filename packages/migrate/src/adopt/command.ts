// The command `npx --no-install @eaas/migrate adopt`: converts columns that the app has encrypted by itself, or with a library, while
// the app runs. It surveys all values, says what it will do, asks, and calls `migrate`.
import { createInterface } from 'node:readline/promises';
import { text as readText } from 'node:stream/consumers';
import { InputError } from '@eaas/protocol';
import { progressLine } from '@eaas/protocol/internal';
import { defineFields, field, plaintext, type FieldsTables } from '@eaas/sdk/fields';
import { clientOf, connect, variable } from '../connect.ts';
import type { SqlDatabase } from '../database.ts';
import { requireText } from '../formats/keys.ts';
import { anyOf, type Reader } from '../formats/reader.ts';
import { type MigrateOptions, migrateTarget } from '../migrate.ts';
import { parse } from '../options.ts';
import { lineOf, type MigrateProgress } from '../progress.ts';
import type { RowFailure } from '../rows.ts';
import { targetOf } from '../source.ts';
import { openTable } from '../table.ts';
import { type Names, placeOf } from './place.ts';
import { ownReader } from './own-reader.ts';
import { ivColumnsOf } from './iv-columns.ts';
import { type OldKey, plainOnly, recogniser } from './recognise.ts';
import { type ExpectedValue, survey, unopened } from './survey.ts';
import {
  type Adopted,
  advice,
  type Column,
  definition,
  formatsOf,
  ivUnproven,
  stagesOf,
  surveyOf,
} from './words.ts';

export const help = `Usage: npx --no-install @eaas/migrate adopt <place> <table> <column> … --old-key <variable>

Converts columns that your app encrypted by itself, or with a library, while the app runs. It looks at every value, says
what it will do, and asks. If it is killed, run it again: it goes on with what is left.

The place is the address of the database (postgres://…, mysql://…, file:app.db), a variable that has it, or the path of a
schema of Drizzle or Prisma, with the address in DATABASE_URL. A schema in TypeScript needs Node 22.18, or tsx and
NODE_OPTIONS="--import tsx".

Options:
  --old-key <variable>   the variable with the old key or passphrase; repeat it for older keys
  --reader <module>      a module of your app whose default export, (stored, row) => text or null, opens old values
  --columns <names>      the other columns that it needs in its row, with commas between them
  --salt <variable>      the variable with the salt of scrypt, if the old key is a passphrase (default: the text salt)
  --iv-first             the old values are AES-CBC, in one run of bytes that begins with the iv: prove it by --expect
  --expect <id>          the row whose value, in clear, is on standard input
  --plaintext            also encrypt plaintext, but nothing that can be a ciphertext: hex, base64 or JSON
  --as-plaintext <id>    also encrypt what does not open in this row, which is plaintext; repeat it for further rows
  --leave <id>           leave this row as it is; repeat it for further rows
  --leave-unknown        leave all rows as they are that cannot be converted, and list them
  --id <column>          the primary key, if the command cannot know it
  --yes                  do not ask
  -h, --help             show this help

The new keys are in EAAS_LOCAL (EAAS_LOCAL_KMS_COMMAND opens its lock), or on the server of EAAS_BASE_URL, EAAS_API_KEY and
EAAS_KEY_ID. EAAS_HALF is the half of the app, if it has one. Variables can be in .env.
`;

/** Runs the command, and returns its exit code: 0 if nothing old is left, and 1 if something is. */
export async function run(args: readonly string[]): Promise<number> {
  const [given, where = '', table = '', ...columns] = parse(help, args);
  const { names, address } = await placeOf(where, table);
  const { database, close } = await connect(address);
  const needed = columnsIn(names, given.list('columns') ?? []);
  const named = { ...names, needed, id: given.text('id') ?? names.id ?? 'id' };
  return adopt(database, named, columnsIn(names, columns), given).finally(close);
}

async function adopt(
  database: SqlDatabase,
  names: Names,
  columns: readonly Column[],
  { text, texts, flag }: ReturnType<typeof parse>[0],
): Promise<number> {
  const named = (name: string): OldKey => {
    return { variable: name, text: requireText(variable(name), 'the old key or salt') };
  };
  const oldKeys = texts('old-key').map(named);
  const [salt] = texts('salt').map(named);
  const [own] = await Promise.all(texts('reader').map(ownReader));
  if (own && oldKeys.length > 0) {
    throw new InputError('pass `--old-key` or `--reader`: the function can read several formats');
  }
  const expected = await expectedValue(flag('iv-first'), text('expect'), columns, own !== undefined);
  const client = await clientOf().catch(({ message }: Error) => stop(message));
  const whole = targetOf(database, names.name, define(names, columns, plainOnly));
  const line = progressLine();
  const store = await openTable(whole, 'adopt');
  const total = await store.count();
  const surveyed = await survey(store, {
    recognise: recogniser(oldKeys, salt),
    own,
    expected,
    onRow: (count) => line.show(count, total, `looked at ${count.toLocaleString('en')} rows`),
  }).finally(line.clear);
  const adopted = columns.map((each): Adopted =>
    Object.assign(each, { holds: surveyed.columns.get(each.field) ?? new Map() }),
  );
  for (const each of adopted) print(surveyOf(each));
  const unproven = adopted.find(({ field }) => surveyed.unproven.has(field));
  if (unproven && !flag('leave-unknown')) {
    const format = surveyed.unproven.get(unproven.field);
    const ivColumns = await ivColumnsOf(
      database,
      names,
      adopted.map(({ column }) => column),
    );
    if (format) stop(ivUnproven(names.table, unproven, format, ivColumns));
  }
  const plain = adopted.find(({ holds }) => holds.has(unopened.plain) && holds.size === 1);
  if (plain && oldKeys.length > 0) {
    stop(`no old key opens ${plain.column}. If it is plaintext, omit \`--old-key\``);
  }

  const readers = formatsOf(adopted).map(({ result }) => result);
  const previous = flag('plaintext') ? [...readers, plainOnly] : readers;
  const leave = new Set(texts('leave'));
  const asPlaintext = new Set(texts('as-plaintext'));
  const defined = define(names, adopted, anyOf('an old value', previous), {
    allowCiphertexts: asPlaintext.size > 0,
  });
  const target = {
    ...targetOf(database, names.name, defined),
    leave,
    leavesFailing: flag('leave-unknown'),
    asPlaintext,
    open: own?.open,
  };
  const onProgress = (progress: MigrateProgress): void => line.show(...lineOf(progress));
  const convert = (more: Partial<MigrateOptions> = {}) =>
    migrateTarget(target, 'encrypt', { client, onProgress, ...more }).finally(line.clear);
  const tried = await convert({ dryRun: true, maxFailures: 10 ** 9 });
  if (!flag('leave-unknown') && tried.failures[0]) stop(unreadable(names.name, tried.failures[0]));
  if (tried.left.count > 0) {
    print(stagesOf(names, adopted, own));
    if (!flag('yes') && !(await isConfirmed())) return print('Nothing was changed.\n');
  }
  const { done, failures, progress, constraints } = await convert();
  if (!done) {
    for (const { message } of failures) print(`${message}\n`);
    print('These rows could not be converted. Run the same command again.\n');
    return 1;
  }
  const left = leave.size > 0 ? `, except in row ${[...leave].join(', ')}: repair it` : '';
  print(`Each of ${progress.checked} rows was looked at again, and nothing old was left${left}.\n`);
  print(`\nNow remove \`previous\` from your app:\n\n${definition(names, adopted)}`);
  // For Drizzle, drizzle-kit makes one from the schema.
  if (constraints && !left && names.style !== 'drizzle') {
    print(`\nand let the database refuse anything else:\n\n${constraints}\n`);
  }
  return print(oldKeys.length > 0 ? advice(oldKeys, new Date()) : '');
}

/** The value that a person knows of one row, if the iv of AES-CBC is said to stand in front. */
async function expectedValue(
  isIvFirst: boolean,
  id: string | undefined,
  columns: readonly Column[],
  hasReader: boolean,
): Promise<ExpectedValue | undefined> {
  if (!isIvFirst && id === undefined) return undefined;
  if (!isIvFirst || id === undefined) {
    throw new InputError(
      'pass `--iv-first` and `--expect <id>` together: the value of one row, on standard input, proves where the iv is',
    );
  }
  if (hasReader) throw new InputError('pass `--iv-first` or `--reader`: the function knows where its iv is');
  if (columns.length > 1) {
    throw new InputError('the value after `--expect` proves one column: adopt one column at a time');
  }
  if (process.stdin.isTTY) print(`Type the value of row ${id}, and then Ctrl-D:\n`);
  const value = (await readText(process.stdin)).replace(/\r?\n$/, '');
  if (value === '') {
    throw new InputError(
      `\`--expect ${id}\` found no value on standard input: pass the value of this row there, in clear`,
    );
  }
  return { id, text: value };
}

/** Which value does not open, and what a person can say of it. */
function unreadable(table: string, { id, field, code, message }: RowFailure): string {
  if (id === '') {
    return `a row of ${table} has an empty text as its id, which names no row: give it another id`;
  }
  const known = 'has no known format, or is under a key that you have not named, or was altered';
  const what = code === 'format' ? `${table}.${field} of row ${id} ${known}` : message;
  return (
    `${what}. Name all old keys with \`--old-key\`, or pass your app's function with \`--reader\` and its columns with ` +
    `\`--columns\`. If it is plaintext, pass \`--as-plaintext ${id}\`, or \`--plaintext\` for all. \`--leave ${id}\` ` +
    'leaves it as it is, and `--leave-unknown` all such rows'
  );
}

function stop(why: string): never {
  throw new InputError(`Nothing was changed: ${why}`);
}

/** The columns, by their names in the app or in the database. Drizzle binds ciphertexts to the latter. */
const columnsIn = ({ columns, style, name }: Names, wanted: readonly string[]): Column[] =>
  wanted.map((given) => {
    const known = Array.from(columns).find((pair) => pair.includes(given));
    if (!known && style !== 'sql') stop(`the schema has no column \`${given}\` in \`${name}\``);
    const [column, inApp] = known ?? [given, given];
    return { inApp, column, field: style === 'drizzle' ? column : inApp };
  });

/** The options of `migrate` that define the columns. */
function define(names: Names, columns: readonly Column[], read: Reader, more = {}) {
  const { name, schema, table, id, needed = [] } = names;
  const options = { ...more, previous: { ...plaintext(read), columns: needed.map((each) => each.field) } };
  const fields = Object.fromEntries(columns.map((each) => [each.field, field.text(options)]));
  const stored = Object.fromEntries([...columns, ...needed].map((each) => [each.field, each.column]));
  return { fields: defineFields<FieldsTables>({ [name]: fields }), schema, table, id, columns: stored };
}

async function isConfirmed(): Promise<boolean> {
  if (!process.stdin.isTTY) stop('pass `--yes` to convert without a terminal');
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  const answer = await terminal.question('Convert the values now? [y/N] ').catch(() => '');
  terminal.close();
  return /^y(?:es)?$/i.test(answer.trim());
}

function print(text: string): number {
  process.stdout.write(text);
  return 0;
}
