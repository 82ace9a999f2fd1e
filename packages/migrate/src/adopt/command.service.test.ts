// The command in this process, on PostgreSQL: what it refuses, and what a person says of single rows.
import { EaasClient } from '@eaas/sdk';
import { defineFields, field } from '@eaas/sdk/fields';
import { closing } from '@eaas/test-kit/closing';
import { lookAlike } from '@eaas/test-kit/look-alike';
import { root } from '@eaas/test-kit/markdown';
import { openServiceAndTable } from '@eaas/test-kit/service-and-table';
import { afterAll, expect, test, vi } from 'vitest';
import { run } from './command.ts';

const { sql, connection, options, connect } = await closing(openServiceAndTable(), (it) => it.close());
const { host: PGHOST, port, database: PGDATABASE, username: PGUSERNAME } = connection;
const database = { DATABASE_URL: 'postgres://', PGHOST, PGPORT: String(port), PGDATABASE, PGUSERNAME };
const { baseUrl: EAAS_BASE_URL, apiKey: EAAS_API_KEY } = options;
const service = { EAAS_BASE_URL, EAAS_API_KEY, EAAS_KEY_ID: (await connect()).keyId };
for (const [name, value] of Object.entries({ ...database, ...service, OLD_KEY: '7f'.repeat(32) }))
  vi.stubEnv(name, value);
afterAll(() => void vi.unstubAllEnvs());
// The query makes it a module of its own, with this key.
const { encrypt } = await import(`${root}examples/adopt/links.mjs?${PGDATABASE}`);

interface Row {
  readonly id: string;
  readonly token: string;
}
const stored = async () => [...(await sql<Row[]>`select * from tokens order by id`)];

async function fill(rows: readonly (readonly [id: string, token: string])[]): Promise<void> {
  await sql`create table if not exists tokens (id text primary key, token text)`;
  await sql`delete from tokens`;
  await sql`insert into tokens ${sql(rows.map(([id, token]) => ({ id, token })))}`;
}

async function adopt(...more: string[]) {
  const said = { stdout: '', stderr: '' };
  const spies = (['stdout', 'stderr'] as const).map((name) =>
    vi.spyOn(process[name], 'write').mockImplementation((text) => Boolean((said[name] += String(text)))),
  );
  const code = await run([...'adopt DATABASE_URL tokens token --old-key OLD_KEY --yes'.split(' '), ...more]);
  for (const spy of spies) spy.mockRestore();
  return { code, ...said };
}

test('nothing is changed before all opens, and a person says which rows are plaintext, and which stay', async () => {
  const [json, alike, hash] = ['{"iv":"x"}', lookAlike + 'A'.repeat(300), 'f'.repeat(64)];
  const before = [
    ['a', encrypt('one')],
    ['b', json],
    ['c', alike],
    ['d', hash],
    ['e', encrypt('two')],
  ] as const;
  await fill(before);
  for (const more of [[], ['--plaintext'], ['--leave', 'b', '--as-plaintext', 'c']]) {
    const id = more.length > 1 ? 'd' : 'b';
    const { code, stderr } = await adopt(...more);
    expect(stderr).toMatch(
      new RegExp(`^Nothing was changed: tokens.token of row ${id} has no known format, .*`),
    );
    expect(stderr).toMatch(new RegExp(`\`--as-plaintext ${id}\`.*\`--leave ${id}\``));
    expect([code, (await stored()).map(({ id, token }) => [id, token])]).toEqual([2, before]);
  }
  const records = defineFields({ tokens: { token: field.text() } }).for(new EaasClient());
  // Each further run finds what one leaves that was killed: some rows are converted.
  for (const old of [['e', encrypt('two')], ['a', encrypt('one')], []] as const) {
    const named = ['--as-plaintext', 'b', '--as-plaintext', 'c', '--leave', 'd'];
    expect(await adopt(...named)).toMatchObject({
      code: 0,
      stderr: '',
      stdout: expect.stringContaining('row d'),
    });
    const rows = await stored();
    const opened = await records.decryptRows('tokens', rows, ({ id }) => id, { settled: true });
    const texts = opened.map((row) => (row.ok ? row.value.token : undefined));
    expect([texts, rows[3]?.token]).toEqual([['one', json, alike, undefined, 'two'], hash]);
    if (old[0]) await sql`update tokens set token = ${old[1]} where id = ${old[0]}`;
  }
});

test('an empty text as the id of a row is an error of one line, and the lines for the app are JavaScript', async () => {
  await fill([['', encrypt('one')]]);
  expect((await adopt()).stderr).toMatch(
    /^Nothing was changed: a row of tokens has an empty text as its id, .*\nHelp/,
  );
  await fill([['a', encrypt('one')]]);
  expect((await adopt()).stdout).toContain("joined({ key: fromHex(process.env.OLD_KEY ?? ''), parts");
});
