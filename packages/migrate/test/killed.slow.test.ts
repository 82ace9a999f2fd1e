import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { inventory, type Progress, type SqlDatabase } from '@eaas/migrate';
import type { EaasClient } from '@eaas/sdk';
import { createIndexKey } from '@eaas/sdk/fields';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import type { Line, Setup } from './migrating.ts';
import { tables } from './tables.ts';
import { builtScript } from '@eaas/test-kit/built-program';
import { openServiceAndTable, type ServiceAndTable } from '@eaas/test-kit/service-and-table';

const rows = 3_000;
const program = builtScript(fileURLToPath(new URL('migrating.ts', import.meta.url)));
let place: ServiceAndTable;
let client: EaasClient;
let setup: Omit<Setup, 'table' | 'mode'>;

beforeAll(async () => {
  place = await openServiceAndTable();
  const { client: connected, keyId } = await place.connect();
  client = connected;
  const { options, connection } = place;
  setup = { connection, options: { ...options, keyId }, index: await createIndexKey(client) };
});
afterAll(async () => {
  await place.close();
});

/** Every third row has no name. */
async function fill(): Promise<void> {
  await place.sql`drop table if exists members`;
  await place.sql`create table members (id bigint primary key, name text, email text not null, email_index text unique)`;
  await place.sql`
    insert into members select n, case when n % 3 > 0 then 'Name ' || n end, 'Member' || n || '@example.com'
    from generate_series(1, ${rows}::int) n`;
}

/** Runs the program to its end, or kills it when `isLast` says so of what it prints. */
async function run(
  more: Pick<Setup, 'table' | 'mode' | 'resume' | 'moment'>,
  isLast = ({ standsStill = false }: Line): boolean => standsStill,
) {
  const child = spawn(process.execPath, [program, JSON.stringify({ ...setup, ...more })], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const exited = once(child, 'exit');
  const lines: Line[] = [];
  for await (const text of createInterface({ input: child.stdout })) {
    const line = JSON.parse(text) as Line;
    lines.push(line);
    if (isLast(line)) child.kill('SIGKILL');
  }
  const [code, signal] = (await exited) as [number | null, NodeJS.Signals | null];
  return { code, signal, lines };
}

const encrypt = (more: Pick<Setup, 'resume' | 'moment'>) =>
  run({ table: 'members', mode: 'encrypt', ...more });

interface Stored {
  readonly id: string;
  readonly name: string | null;
  readonly email: string;
  readonly email_index: string | null;
}

const stored = () => place.sql<Stored[]>`select * from members order by id`;
const isEncrypted = ({ email }: Stored): boolean => !email.includes('@');

test.each([
  ['while it writes the first page', 'write 1', false, 0, 500],
  ['after the first page', 'seen 500, checked 0', true, 500, 500],
  ['while it writes a page in the middle', 'write 3', false, 1_000, 1_500],
  ['while it writes a page in the middle', 'write 3', true, 1_000, 1_500],
  ['while it writes the last page', 'write 6', true, 2_500, rows],
  ['while the proof begins', 'check 1', false, rows, rows],
  ['in the middle of the proof', `seen ${rows}, checked ${rows}`, true, rows, rows],
])(
  'a run that is killed %s (%s, resumed: %s) is completed by the next, which leaves encrypted rows alone',
  async (_, moment, resumes, least, most) => {
    await fill();
    const killed = await encrypt({ moment });
    expect(killed.signal).toBe('SIGKILL');
    // PostgreSQL can still run the last statement of the process, so the next run meets it.
    const encrypted = (await stored()).filter(isEncrypted);
    expect(encrypted.length).toBeGreaterThanOrEqual(least);
    expect(encrypted.length).toBeLessThanOrEqual(most);

    const kept = killed.lines.findLast(({ progress }) => progress)?.progress;
    const next = await encrypt({ resume: resumes ? kept : undefined });
    expect(next.code).toBe(0);
    expect(next.lines.at(-1)).toEqual({ result: { done: true, left: 0, failures: 0 } });
    const found = await stored();
    expect(found.filter(isEncrypted)).toHaveLength(rows);
    const byId = new Map(found.map((row) => [row.id, row]));
    expect(encrypted.filter((row) => byId.get(row.id)?.email !== row.email)).toEqual([]);
    const opened = await tables
      .for(client, { index: setup.index })
      .decryptRows('members', found as never, (row: { id: string }) => row.id);
    expect(opened).toEqual(
      Array.from({ length: rows }, (__, at) => ({
        id: String(at + 1),
        name: (at + 1) % 3 > 0 ? `Name ${at + 1}` : null,
        email: `Member${at + 1}@example.com`,
      })),
    );
    expect(new Set(found.map(({ email_index }) => email_index)).size).toBe(rows);
  },
);

test('a rotation of 10,000 rows of people under writes, killed at random, is completed by one call', async () => {
  const { sql } = place;
  const [count, people, erased] = [10_000, 1_000, [3, 104, 205, 306, 907]];
  await sql`drop table if exists patients`;
  await sql`create table patients (id int primary key, person text not null, note text)`;
  const rowOf = (id: number, note: string) => ({ id, person: `person ${id % people}`, note });
  const known = new Map(Array.from({ length: count }, (_, at) => [at + 1, `note ${at + 1}`]));
  const records = tables.for(client, { index: setup.index });
  for (let first = 1; first <= count; first += 1_000) {
    const rows = Array.from({ length: 1_000 }, (_, at) => rowOf(first + at, `note ${first + at}`));
    await sql`insert into patients ${sql(await records.encryptRows('patients', rows, ({ id }) => id))}`;
  }
  for (const person of erased) await client.subjects.erase({ subject: `person ${person}` });
  const { keyId = '' } = setup.options;
  await client.keys.rotate({ key_id: keyId });

  // An app that was started after the rotation, so it encrypts under the new version.
  const app = tables.for((await place.connectTo(keyId)).client, { index: setup.index });
  const stop = new AbortController();
  const writing = (async () => {
    for (let turn = 0; !stop.signal.aborted; turn++) {
      const id = 1 + ((turn * 37) % count);
      if (erased.includes(id % people)) continue;
      const note = `changed in turn ${turn}`;
      const row = await app.encryptRow('patients', id, rowOf(id, note));
      await sql`update patients set note = ${row.note} where id = ${id}`;
      known.set(id, note);
    }
  })();
  const rotation = { table: 'patients', mode: 'rewrap' } as const;
  let resume: Progress | undefined;
  for (let kills = 0; kills < 4; kills++) {
    let rest = 1 + Math.floor(Math.random() * 8);
    const { lines } = await run({ ...rotation, resume }, () => --rest === 0);
    // Every second run begins again with the first row.
    resume = kills % 2 === 0 ? lines.at(-1)?.progress : undefined;
  }
  const { code, lines } = await run(rotation);
  stop.abort();
  await writing;
  expect(code).toBe(0);
  expect(lines.at(-1)).toEqual({ result: { done: true, left: 0, failures: 0 } });
  const lost = erased.length * (count / people);
  expect(lines.findLast(({ progress }) => progress)?.progress).toMatchObject({ erased: lost, failed: 0 });

  const db: SqlDatabase = { query: (statement, parameters) => sql.unsafe(statement, parameters) };
  const { keys } = await inventory(db, 'patients', { fields: tables });
  const versions = keys.flatMap((key) =>
    key.versions.map(({ key_version, values }) => [key_version, values]),
  );
  expect(versions).toEqual([
    [1, lost],
    [2, count - lost],
  ]);
  const stillKnown = [...known].filter(([id]) => !erased.includes(id % people));
  const found = await sql<{ id: number; person: string; note: string }[]>`select * from patients order by id`;
  const opened = await app.decryptRows('patients', found, ({ id }) => id, { settled: true });
  const notes = opened.flatMap((row) => (row.ok ? [[row.value.id, row.value.note]] : []));
  expect(notes).toEqual(stillKnown);
});
