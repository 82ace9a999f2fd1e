import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { inventory, type Progress, type SqlDatabase } from '@eaas/migrate';
import { expect, onTestFinished, test } from 'vitest';
import type { Line, Setup } from './migrating.ts';
import { tables } from './tables.ts';
import { builtScript } from '@eaas/test-kit/built-program';
import { closing } from '@eaas/test-kit/closing';
import { openServiceAndTable } from '@eaas/test-kit/service-and-table';

const program = builtScript(fileURLToPath(new URL('migrating.ts', import.meta.url)));
const place = await closing(openServiceAndTable(), (it) => it.close());
const { client, keyId } = await place.connect();
const setup: Setup = { connection: place.connection, options: { ...place.options, keyId } };

/** Runs the program to its end, or kills it after it has printed some lines. */
async function run(resume?: Progress, most = Infinity) {
  const child = spawn(process.execPath, [program, JSON.stringify({ ...setup, resume })], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const exited = once(child, 'exit');
  const lines: Line[] = [];
  for await (const text of createInterface({ input: child.stdout })) {
    lines.push(JSON.parse(text) as Line);
    if (lines.length === most) child.kill('SIGKILL');
  }
  const [code] = (await exited) as [number | null];
  return { code, lines };
}

test('a rotation of 10,000 rows of people under writes, killed at random, is completed by one call', async () => {
  const { sql } = place;
  const [count, people, erased] = [10_000, 1_000, [3, 104, 205, 306, 907]];
  await sql`create table patients (id int primary key, person text not null, note text)`;
  const rowOf = (id: number, note: string) => ({ id, person: `person ${id % people}`, note });
  const known = new Map(Array.from({ length: count }, (_, at) => [at + 1, `note ${at + 1}`]));
  const records = tables.for(client);
  for (let first = 1; first <= count; first += 1_000) {
    const rows = Array.from({ length: 1_000 }, (_, at) => rowOf(first + at, `note ${first + at}`));
    await sql`insert into patients ${sql(await records.encryptRows('patients', rows, ({ id }) => id))}`;
  }
  for (const person of erased) await client.subjects.erase({ subject: `person ${person}` });
  await client.keys.rotate({ key_id: keyId });

  // An app that was started after the rotation, so it encrypts under the new version.
  const app = tables.for((await place.connectTo(keyId)).client);
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
  let resume: Progress | undefined;
  for (let kills = 0; kills < 4; kills++) {
    const { lines } = await run(resume, 1 + Math.floor(Math.random() * 8));
    // Every second run begins again with the first row.
    resume = kills % 2 === 0 ? lines.at(-1)?.progress : undefined;
  }
  const { code, lines } = await run();
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
