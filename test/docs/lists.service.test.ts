import { limits } from '@eaas/protocol/wire';
import { EaasClient } from '@eaas/sdk';
import { closing } from '@eaas/test-kit/closing';
import { read, rowsUnder } from '@eaas/test-kit/markdown';
import { settle, testWorld } from '@eaas/test-kit/world';
import postgres from 'postgres';
import { describe, expect, test } from 'vitest';
import { limitsOf } from '../../packages/sdk/src/data-keys/limits.ts';

const page = read('packages/sdk/docs/lists.md');
const english = (value: number): string => value.toLocaleString('en');
const table = new Map(rowsUnder(page, 'cost').map(([cost = '', ...cells]) => [cost, cells]));
const ofPeople = Number(/^(\d+) each$/.exec(table.get('bytes of these entries')?.[0] ?? '')?.[1]);
const ofValues = Number(/audit entry of about (\d+) bytes/.exec(read('docs/limits.md'))?.[1]);
const [u, p, k] = [50, 200, 1];

const world = await testWorld();
const sql = await closing(postgres({ ...world.database.connection('owner'), max: 1 }), (it) => it.end());

async function size(): Promise<number> {
  const [row] = await sql`select pg_total_relation_size('eaas.audit_entries') as size`;
  return Number(row?.['size']);
}

test('the table has what its formulas say', () => {
  const { maxAge, maxEntries } = limitsOf('server').decrypt;
  const entries = (u * p * k * 8 * 3_600_000) / maxAge;
  expect(rowsUnder(page, 'cost')).toEqual([
    ["requests of a user's first list", '⌈p × k / 1,000⌉', english(Math.ceil((p * k) / limits.batchItems))],
    ['data keys in memory', 'u × p × k', english(u * p * k)],
    ['entries, if they look for 8 hours', `u × p × k × 8 h / ${maxAge / 60_000} min`, english(entries)],
    ['bytes of these entries', `${ofPeople} each`, `${english(Math.round((entries * ofPeople) / 1e6))} MB`],
  ]);
  expect(page).toContain(`the default ${english(maxEntries)}`);
});

describe('an audit entry takes as many bytes with its indexes as the page says', async () => {
  const replica = world.replica();
  const { token } = await settle(replica, 'acme');
  const connection = { baseUrl: await world.serve(replica), apiKey: token };
  const { key_id: keyId } = await new EaasClient(connection).keys.create({ name: 'patients' });
  const client = new EaasClient({ ...connection, keyId, cache: { encrypt: false, decrypt: false } });
  const people = Array.from({ length: p }, () => crypto.randomUUID());

  test.each<[string, number, object[], () => EaasClient]>([
    [
      'of a list of people',
      ofPeople,
      people.map((subject) => ({ subject })),
      () => client.as(crypto.randomUUID()),
    ],
    ['of values without a person', ofValues, people.map(() => ({})), () => client],
  ])('%s', async (_, expected, persons, reader) => {
    const sealed = await client.encryptMany(persons.map((person) => ({ value: 'Ada', ...person })));
    const items = sealed.map((one, at) =>
      Object.assign({ ciphertext: one.ok ? one.value : '' }, persons[at]),
    );
    const before = await size();
    const lists = 25;
    for (let list = 0; list < lists; list++) {
      const opened = await reader().decryptMany(items);
      expect(opened.every(({ ok }) => ok)).toBe(true);
    }
    const each = ((await size()) - before) / (lists * p);
    expect(Math.abs(each / expected - 1), `${each} bytes`).toBeLessThan(0.1);
  });
});
