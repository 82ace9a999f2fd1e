import type { Input, Output } from '@eaas/protocol/wire';
import { expect, test } from 'vitest';
import { apiOf, dek, settle, testWorld } from '@eaas/test-kit/world';

type Entry = Output<'GET /v1/audit'>['logs'][number];
type Filter = Pick<Input<'GET /v1/audit'>, 'key_id' | 'action' | 'date_from' | 'date_to'>;

const times = ['2026-03-01T00:00:00.000Z', '2026-03-01T00:00:00.001Z', '2026-03-02T00:00:00.000Z'] as const;

const keys: string[] = [];

const world = await testWorld(times[0]);
const service = world.replica();
const api = apiOf(service, (await settle(service, 'ann')).token);
for (const name of ['one', 'two']) keys.push((await api('POST /v1/keys', { name })).key_id);
for (const time of times) {
  world.time = Date.parse(time);
  for (let nth = 0; nth < 8; nth++) {
    const key_id = keys[nth % 3 === 0 ? 1 : 0] ?? '';
    const { wrapped_key } = await api('POST /v1/keys/:key_id/wrap', { key_id, dek });
    if (nth % 2 === 0) await api('POST /v1/keys/:key_id/unwrap', { key_id, wrapped_key });
  }
}
const all: readonly Entry[] = (await api('GET /v1/audit', { limit: 100 })).logs;

const filters = (): Filter[] => {
  const [one, two] = keys;
  const dates = [
    {},
    { date_from: times[1] },
    { date_to: times[1] },
    { date_from: times[1], date_to: times[1] },
  ];
  const others = [
    { key_id: one },
    { key_id: two },
    { action: 'key.unwrap' },
    { action: 'key.export' },
    { key_id: one, action: 'key.wrap' },
  ] as const;
  return dates.flatMap((date) => others.map((other) => Object.assign({}, date, other)));
};

const matches = (entry: Entry, { key_id, action, date_from, date_to }: Filter): boolean =>
  (key_id === undefined || entry.key_id === key_id) &&
  (action === undefined || entry.action === action) &&
  (date_from === undefined || Date.parse(entry.created_at) >= Date.parse(date_from)) &&
  (date_to === undefined || Date.parse(entry.created_at) <= Date.parse(date_to));

test('in the test data, many entries have the same time', () => {
  expect(new Set(all.map(({ created_at }) => Date.parse(created_at)))).toEqual(
    new Set(times.map((time) => Date.parse(time))),
  );
});

test('with each filter, the pages contain each matching entry once, even if many entries have the same time', async () => {
  for (const filter of filters()) {
    const expected = all.filter((entry) => matches(entry, filter));
    for (const limit of [1, 3, 100]) {
      const found: Entry[] = [];
      for (let offset = 0; offset <= expected.length; offset += limit) {
        const page = await api('GET /v1/audit', { ...filter, limit, offset });
        expect(page).toMatchObject({ total: expected.length, offset, count: page.logs.length });
        found.push(...page.logs);
      }
      expect(found).toEqual(expected);
    }
  }
});
