import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { EaasClient } from '@eaas/sdk';
import { createIndexKey } from '@eaas/sdk/fields';
import { buildSync } from 'esbuild';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import type { Line, Setup } from './encrypting.ts';
import { members } from './members.ts';
import { openServiceAndTable, type ServiceAndTable } from './service-and-table.ts';

const rows = 3_000;
const built = mkdtempSync(join(tmpdir(), 'eaas-encrypting-'));
const program = join(built, 'encrypting.mjs');
let place: ServiceAndTable;
let client: EaasClient;
let setup: Setup;

beforeAll(async () => {
  buildSync({
    entryPoints: [fileURLToPath(new URL('encrypting.ts', import.meta.url))],
    outfile: program,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    conditions: ['@eaas/source'],
  });
  place = await openServiceAndTable();
  const { client: connected, keyId } = await place.connect();
  client = connected;
  const { options, connection } = place;
  setup = { connection, options: { ...options, keyId }, index: await createIndexKey(client) };
});
afterAll(async () => {
  rmSync(built, { recursive: true });
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

/** Runs the program to its end, or kills it at the moment that it names. */
async function encrypt(more: Pick<Setup, 'resume' | 'moment'>) {
  const child = spawn(process.execPath, [program, JSON.stringify({ ...setup, ...more })], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const exited = once(child, 'exit');
  const lines: Line[] = [];
  for await (const text of createInterface({ input: child.stdout })) {
    const line = JSON.parse(text) as Line;
    lines.push(line);
    if (line.standsStill) child.kill('SIGKILL');
  }
  const [code, signal] = (await exited) as [number | null, NodeJS.Signals | null];
  return { code, signal, lines };
}

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
    const opened = await members
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
