import { expect, test, vi } from 'vitest';
import { client } from '@eaas/test-kit/api';
import { openAttacker } from '@eaas/test-kit/attacker';
import { apiOf, dek, settle, testWorld } from '@eaas/test-kit/world';

const world = await testWorld();
const attacker = await openAttacker(world);
const [one, two] = [world.replica(), world.replica()];
const ann = await settle(one, 'ann');
const { key_id } = await apiOf(one, ann.token)('POST /v1/keys', { name: 'key' });
const [first, second] = [
  client(await world.serve(one), ann.token),
  client(await world.serve(two), ann.token),
];

type Client = typeof first;

/** The entries of the log, each as its receipt, with the row in its context. */
async function logged(): Promise<Map<string, unknown>> {
  const rows = await attacker.sql<{ receipt: string; row: unknown }[]>`
    select id || ' ' || encode(hash, 'hex') as receipt, metadata::jsonb #>> '{context,row}' as row
    from eaas.audit_entries where tenant_id = ${ann.tenantId}`;
  return new Map(rows.map(({ receipt, row }) => [receipt, row]));
}

async function wrap(api: Client, row: string): Promise<string> {
  const answer = await api.post(`/v1/keys/${key_id}/wrap`, { dek, context: { row } });
  expect(answer.status).toBe(200);
  return answer.headers.get('eaas-entry') ?? '';
}

async function wrapAll(api: Client, rows: readonly string[]): Promise<string[]> {
  const items = rows.map((row) => ({ key_id, dek, context: { row } }));
  const { results } = (await api.post('/v1/batch/wrap', { items })).body;
  return results.map(({ entry }) => `${entry?.id} ${entry?.hash}`);
}

test('receipts name the entries that were written when two replicas append at once', async () => {
  const calls = Array.from({ length: 40 }, async (_, nth) => {
    const api = nth % 2 === 0 ? first : second;
    const rows = [`${nth} a`, `${nth} b`];
    const [receipt, receipts] = await Promise.all([wrap(api, `${nth}`), wrapAll(api, rows)]);
    return [[receipt, `${nth}`], ...receipts.map((each, index) => [each, rows[index]])] as const;
  });
  const all = (await Promise.all(calls)).flat();
  expect(one.counts.conflicts + two.counts.conflicts).toBeGreaterThan(0);
  const log = await logged();
  expect(new Set(all.map(([receipt]) => receipt)).size).toBe(120);
  expect(all.map(([receipt]) => log.get(receipt ?? ''))).toEqual(all.map(([, row]) => row));
});

test('receipts of a batch that several statements write are those of its entries', async () => {
  const filler = '"'.repeat(1_900);
  const rows = Array.from({ length: 450 }, (_, nth) => `${nth}${filler}`);
  const { appends } = one.counts;
  const receipts = await wrapAll(first, rows);
  expect(one.counts.appends - appends).toBeGreaterThan(2);
  const log = await logged();
  expect(receipts.map((receipt) => log.get(receipt))).toEqual(rows);
});

test('after a fault in which the entry was written, the receipt names the entry that was written last', async () => {
  await wrap(first, 'before');
  const run = one.database.run.bind(one.database);
  const lost = vi.spyOn(one.database, 'run').mockImplementationOnce(async (...all) => {
    await run(...all);
    throw Object.assign(new Error('the connection was lost'), { code: 'CONNECTION_CLOSED' });
  });
  const receipt = await wrap(first, 'twice');
  lost.mockRestore();
  const log = await logged();
  const twice = [...log].filter(([, row]) => row === 'twice').map(([each]) => each);
  expect(twice).toHaveLength(2);
  expect(receipt).toBe(twice.toSorted((a, b) => Number.parseInt(a) - Number.parseInt(b)).at(-1));
});

test('a call whose entry could not be written has no receipt', async () => {
  await attacker.sql`alter table eaas.audit_entries
    add constraint full_disk check (action <> 'key.wrap' and action <> 'key.rotate') not valid`;
  for (const [path, body] of [
    ['wrap', { dek }],
    ['rotate', {}],
  ] as const) {
    const answer = await first.post(`/v1/keys/${key_id}/${path}`, body);
    expect(answer.body).toMatchObject({ code: 'audit_unwritten' });
    expect(answer.headers.get('eaas-entry')).toBeNull();
  }
  await attacker.sql`alter table eaas.audit_entries drop constraint full_disk`;
});
