// The command in this process: on rows from standard input, and on a table of Drizzle in PostgreSQL.
import { existsSync, writeFileSync } from 'node:fs';
import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { closing } from '@eaas/test-kit/closing';
import { newDirectory } from '@eaas/test-kit/directory';
import { root } from '@eaas/test-kit/markdown';
import { openServiceAndTable } from '@eaas/test-kit/service-and-table';
import { expect, test, vi } from 'vitest';
import { command, setVariables, variablesOf } from '../../test/in-process.ts';
import { definedIn } from '../definition.ts';

const service = await closing(openServiceAndTable(), (it) => it.close());
const { sql, connection, options } = service;
const { client, keyId: EAAS_KEY_ID } = await service.connect();
const { baseUrl: EAAS_BASE_URL, apiKey: EAAS_API_KEY } = options;
setVariables({ ...variablesOf(connection), EAAS_BASE_URL, EAAS_API_KEY, EAAS_KEY_ID });

const folder = await newDirectory();
const [ofFields, ofDrizzle] = [join(folder, 'fields.mjs'), join(folder, 'drizzle.mjs')];
const fieldsCode = `import { defineFields, field, unencrypted } from '${root}packages/sdk/src/fields/fields.ts';
  export const fields = defineFields({ members: {
    subject: 'person', ...unencrypted('id', 'person'), name: field.text().searchable(), born: field.date().concealed(),
    photo: field.bytes(), points: field.bigint(), score: field.number(), notes: field.json(),
  } });
  export const older = defineFields({ members: { name: field.text() } });`;
const drizzleCode = `import { encrypted, encryptedTableIn } from '${root}packages/drizzle/dist/pg.js';
  import { field } from '${root}packages/sdk/dist/fields/fields.js';
  import { integer, pgSchema, text } from '${root}node_modules/drizzle-orm/pg-core/index.js';
  const clinic = pgSchema('clinic');
  export const wards = clinic.table('wards', { id: integer().primaryKey() });
  const [name, note] = [encrypted(field.text().searchable()), encrypted(field.text().concealed())];
  const columns = { key: integer('number').primaryKey(), person: integer(), name, note };
  export const patients = encryptedTableIn(clinic)('patients', columns, { subject: ({ person }) => 'person ' + person });`;
const files = {
  'fields.mjs': fieldsCode,
  'drizzle.mjs': drizzleCode,
  'taken.csv': '',
  'killed.csv.part': '',
};
for (const [path, text] of Object.entries(files)) await writeFile(join(folder, path), text);

let runs = 0;
/** Runs the command, on given rows or on the table. Whatever it says, no value and no key is in it. */
async function open(more: string, given?: readonly unknown[], of = `${ofFields} members --export fields`) {
  const out = join(folder, `${runs++}.${/--ndjson/.test(more) || !given ? 'ndjson' : 'csv'}`);
  async function* lines() {
    for (const row of given ?? []) yield `${typeof row === 'string' ? row : JSON.stringify(row)}\n`;
  }
  vi.spyOn(process, 'stdin', 'get').mockReturnValue(Readable.from(lines()) as typeof process.stdin);
  const line = given ? `${of} --stdin` : `${ofDrizzle} patients --columns name,note`;
  const args = `open ${line} --out ${out} ${more.replace('--ndjson', '')}`.trim().split(/ +/);
  const { code, stderr } = await command(...args);
  expect(stderr).not.toMatch(/Ada|1815|18446744073709551616|eaas_sk_|eaasA/);
  return { code, stderr, out, text: await readFile(out, 'utf8').catch(() => '') };
}

const columns = ['points', 'name', 'born', 'photo', 'score', 'notes'];
const [name, all] = ['--columns name', `--columns ${columns.join()}`];
const none = Object.fromEntries(columns.map((column) => [column, null]));
const ada = {
  points: -(2n ** 64n),
  name: 'Ada =1+1 "\r\n',
  born: new Date('1815-12-10T00:00:00Z'),
  photo: new Uint8Array([1, 255]),
  score: -1.5,
  notes: ['=', null],
};
const plain = [ada, { ...none, name: '=1+1', score: Infinity, notes: 'x' }, { ...none, name: '' }, ada];
const records = (await import(ofFields)).fields.for(client, { index: 'service' });
const rows: Record<string, unknown>[] = [];
for (const [at, row] of plain.entries()) {
  rows.push(await records.encryptRow('members', at, { id: at, person: `person ${at}`, ...row }));
}
await client.subjects.erase({ subject: 'person 3' });

test('CSV has base64, ISO dates, digits and JSON, and a mark before what a spreadsheet takes for a formula', async () => {
  const lines = [
    `id,${columns.join()}`,
    `0,-18446744073709551616,"Ada =1+1 ""\r\n",1815-12-10T00:00:00.000Z,Af8=,-1.5,"[""="",null]"`,
    `1,,'=1+1,,,Infinity,x`,
    '2,,"",,,,',
    '3,,,,,,',
  ];
  const { code, text, stderr, out } = await open(all, rows);
  expect([code, text]).toEqual([0, lines.map((line) => `${line}\r\n`).join('')]);
  expect(stderr).toMatch(/^rows: 4, values: 10, failures: 0\n/);
  expect([(await stat(out)).mode & 0o777, existsSync(`${out}.part`)]).toEqual([0o600, false]);
});

test('NDJSON has the values as they are, and null for NULL and for the values of erased people', async () => {
  const { text } = await open(`${all} --ndjson`, rows);
  const first = { ...ada, points: '-18446744073709551616', photo: 'Af8=' };
  const shown = [first, { ...plain[1], score: 'Infinity' }, plain[2], none];
  const lines = shown.map((row, id) => `${JSON.stringify(Object.assign({ id }, row))}\n`);
  expect(text).toBe(lines.join(''));
});

test('a value that does not open ends the run without a file, and `--skip-failed` leaves out its row', async () => {
  const bad = [rows[0], { ...rows[1], name: rows[0]?.['name'] }, { ...rows[2], id: 7, name: 'Ada' }, rows[1]];
  const failures = (rows: number) =>
    new RegExp(`^members.name of row 1: .*\nmembers.name of row 7: .*\nrows: ${rows}, .*failures: 2\n`);
  const ended = await open(name, bad);
  expect(ended).toMatchObject({ code: 1, text: '', stderr: expect.stringMatching(failures(0)) });
  expect([ended.out, `${ended.out}.part`].filter(existsSync)).toEqual([]);
  const skipped = await open(`${name} --skip-failed --exact`, bad);
  expect(skipped).toMatchObject({ code: 1, stderr: expect.stringMatching(failures(2)) });
  expect(skipped.text).toBe(`id,name\r\n0,"${ada.name.replace('"', '""')}"\r\n1,=1+1\r\n`);
});

test('a file that somebody makes meanwhile stays as it is', async () => {
  const out = join(folder, 'meanwhile.csv');
  const row = { toJSON: () => (writeFileSync(out, 'theirs'), rows[0]) };
  expect((await open(`${name} --out ${out}`, [row])).stderr).toMatch(/^EEXIST: .*\nHelp/);
  expect([await readFile(out, 'utf8'), existsSync(`${out}.part`)]).toEqual(['theirs', false]);
});

test('the log has one entry for each person and data key, of the user and the API key that the command names', async () => {
  for (const permissions of [['decrypt' as const, 'audit.read' as const], ['decrypt' as const]]) {
    const { api_key, api_key_id } = await client.apiKeys.create({ name: permissions.join(), permissions });
    vi.stubEnv('EAAS_API_KEY', api_key);
    const { stderr } = await open('--columns name,born --as user-7', rows);
    vi.stubEnv('EAAS_API_KEY', options.apiKey);
    const { logs } = await client.audit.page({ actor: api_key_id, limit: 100 });
    const people = logs.map(
      ({ action, metadata: { user, subject } }) => `${action} ${typeof user} ${String(subject)}`,
    );
    expect([new Set(people).size, people.length]).toEqual([4, 4]);
    expect(people.every((each) => each.startsWith('key.unwrap string '))).toBe(true);
    const named = permissions[1] ? api_key_id : `the actor of entry ${logs.at(-1)?.id} of the audit log`;
    expect(stderr).toMatch(new RegExp(`\nAPI key: ${named}, from 20\\S+Z to 20\\S+Z\n$`));
  }
});

test.each<[string, RegExp, (readonly unknown[] | null)?, string?]>([
  ['--id nmber', /did you mean `number`/, null],
  ['--database patients', /the database must be postgres:/, null],
  [`${name} --out ${folder}/taken.csv`, /taken.csv exists: delete it, or pass/],
  [`${name} --out ${folder}/killed.csv`, /killed.csv.part exists: delete it/],
  [`${name} --where-id-file ids`, /pass `--stdin` or `--where-id-file`/],
  ['--columns nme', /`members.nme` is not defined: did you mean `name`/],
  [
    name,
    /must define members once: pass one export as `--export` \(fields, older\)/,
    [],
    `${ofFields} members`,
  ],
  [name, /the definition cannot load .*\(.*NODE_OPTIONS="--import tsx"/, [], `${folder}/none.mjs members`],
  [name, /row 2 on standard input must be a JSON object with `name`/, [{ id: 0, name: null }, { id: 1 }]],
  [name, /row 1 on standard input must be a JSON object with `id`/, ['{"id":1,Ada']],
  [name, /safe integer/, [{ ...rows[1], id: 2 ** 53 }]],
])('%s is refused: %s', async (more, reason, given: readonly unknown[] | null = rows, of?) => {
  const count = async () => (await client.audit.page({ limit: 1 })).total;
  const before = await count();
  const refused = await open(more, given ?? undefined, of);
  expect(refused).toMatchObject({ code: 2, text: '', stderr: expect.stringMatching(reason) });
  expect([await count(), existsSync(`${refused.out}.part`)]).toEqual([before, false]);
});

const [defined] = await definedIn(ofDrizzle);
const ids = Array.from({ length: 1_203 }, (_, at) => at - 1);
const people = ids.map((id) => ({ person: id % 3, name: `Name ${id}` }));
const idOf = (row: object) => ids[people.indexOf(row as never)];
const ofTable = defined?.fields.for(client, { index: 'service' });
const stored = await ofTable?.encryptRows('patients', people, idOf);
await sql.unsafe(`create schema clinic;
  create table clinic.patients (number int primary key, person int, name text, name_index text, note text)`);
await sql`insert into clinic.patients ${sql(ids.map((number, at) => ({ number, ...stored?.[at] })) as never)}`;
const linesOf = (numbers: readonly number[]) =>
  numbers.map((number) => `{"number":${number},"name":"Name ${number}","note":null}\n`).join('');

test('all rows of a table of Drizzle are opened, page by page', async () => {
  const { code, text, stderr } = await open('');
  expect([code, text]).toEqual([0, linesOf(ids)]);
  expect(stderr).toContain('rows: 1,203, values: 1,203, failures: 0\n');
});

test('only the rows that a file names are opened, and ids that no row has are failures', async () => {
  const list = join(folder, 'ids');
  await writeFile(list, '5\r\n7\n\n 6\n08\n9999\n1201');
  expect(await open(`--where-id-file ${list}`)).toMatchObject({ code: 1, text: '' });
  const { code, text, stderr } = await open(`--where-id-file ${list} --skip-failed`);
  expect([code, text]).toEqual([1, linesOf([5, 7, 1201])]);
  expect(stderr).toMatch(/^(?:no row of patients has the id (?:" 6"|08|9999)\n){3}rows: 3, .* failures: 3\n/);
  await writeFile(list, ids.join('\n'));
  expect(await open(`--where-id-file ${list}`)).toMatchObject({ code: 0, text: linesOf(ids) });
});
