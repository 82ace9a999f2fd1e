import { expect, test } from 'vitest';
import { LogHistory } from './log-history.ts';

type Entry = Parameters<LogHistory['step']>[0];

const [actor, key_id] = ['0a000000-0000-4000-8000-000000000001', '0b000000-0000-4000-8000-000000000002'];
const person = 'ab'.repeat(32);
const refused = { outcome: 'refused' };
const of = (action: string, metadata: object = {}, fields: Partial<Entry> = {}) => {
  return { action, key_id, key_version: 3, actor: 'operator', metadata, ...fields };
};
const forTenant = (action: string, metadata: object) => of(action, metadata, { key_id: null });
const by = (metadata = {}) => of('key.wrap', metadata, { actor });
const about = (metadata: object) => of('key.wrap', { subject: person.slice(0, 32), ...metadata });
const opened = (action: string, key_version: number) => of(action, {}, { key_version });

const revoked = forTenant('api_key.revoke', { api_key_id: actor });
const erased = forTenant('subject.erase', { subject: person });
const disabled = of('key.disable');
const pending = [disabled, of('key.destroy', { destroy_at: 'later' })];
const destroyed = [...pending, of('key.destroy', { erased: true })];
const closed = of('key.min_version', { min_version: 3 });
const rewrap = (from_version: number) => of('key.wrap', { from_version });

/** Logs, with how many of their last entries contradict what those before them said. */
test.each<[what: string, log: readonly Omit<Entry, 'id'>[], contradictions: number]>([
  ['the last use of an API key, which revokes itself', [by(), { ...revoked, actor }], 0],
  ['a use of a revoked API key, and a refusal', [revoked, by(), by(refused)], 2],
  ['a use of a revoked issuer', [forTenant('issuer.revoke', { issuer_id: actor }), by()], 1],
  ['a refused revocation', [of('api_key.revoke', { api_key_id: actor, ...refused }), by()], 0],
  ['refusals for a person who was erased', [about({}), erased, about(refused)], 0],
  ['calls for a person who was erased, and another erasure', [erased, about({}), erased], 2],
  ['another half of an id', [erased, of('key.wrap', { subject: 'cd'.repeat(16) })], 0],
  [
    'what a disabled key allows',
    [disabled, ...['key.unwrap', 'decrypt', 'key.export'].map((one) => of(one))],
    0,
  ],
  [
    'what a disabled key forbids',
    [disabled, of('key.wrap'), of('encrypt'), rewrap(3), of('key.rotate'), closed],
    5,
  ],
  ['a key that was enabled', [disabled, of('key.enable'), of('key.wrap'), of('key.rotate')], 0],
  ['another key', [disabled, of('key.wrap', {}, { key_id: actor })], 0],
  ['a restored key', [...pending, of('key.restore'), of('key.unwrap'), of('key.enable'), of('key.wrap')], 0],
  ['a restored key that is disabled', [...pending, of('key.restore'), of('key.wrap')], 1],
  ['the end of a pending destruction, and refusals', [...destroyed, of('key.unwrap', refused)], 0],
  [
    'a key that is erased in pieces',
    [...pending, of('key.destroy', { destroy_at: 'now' }), of('key.destroy', { erased: true })],
    0,
  ],
  ['uses while the destruction is pending', [...pending, of('key.unwrap'), of('key.enable')], 2],
  ['uses after the destruction', [...destroyed, of('key.unwrap'), of('key.restore'), of('key.enable')], 3],
  ['a key that was imported as disabled', [of('key.create', { status: 'disabled' }), of('key.wrap')], 1],
  [
    'newer versions',
    [closed, opened('key.unwrap', 3), opened('decrypt', 4), rewrap(3), opened('encrypt', 3)],
    0,
  ],
  ['versions that were closed', [closed, opened('key.unwrap', 2), opened('decrypt', 1), rewrap(2)], 3],
  ['a version that is open again', [closed, of('key.min_version', { min_version: 2 }), rewrap(2)], 0],
  ['all versions, open again', [closed, of('key.min_version', { min_version: 1 }), opened('decrypt', 1)], 0],
])('%s', (_, log, contradictions) => {
  for (const form of ['object', 'text'] as const) {
    const history = new LogHistory({ since: 1 });
    const found = log.flatMap((entry, nth) => {
      const metadata = form === 'text' ? JSON.stringify(entry.metadata) : entry.metadata;
      return history.step({ ...entry, metadata, id: nth + 1 }) === undefined ? [] : [nth];
    });
    expect(found).toEqual(
      Array.from({ length: contradictions }, (_, nth) => log.length - contradictions + nth),
    );
  }
});

test('entries that are not shown can have ended what is not final', () => {
  const entries = [revoked, erased, closed, disabled];
  const history = new LogHistory({ since: 1 });
  for (const [nth, entry] of entries.entries()) history.step({ ...entry, id: nth + 1 });
  history.skipTo(9);
  expect(history.since).toBe(9);
  expect(history.facts.map(([, ...said]) => said)).toEqual([
    ['revoked', 1],
    ['erased', 2],
  ]);
  expect(history.step({ ...rewrap(1), id: 10 })).toBeUndefined();
  const kept = new LogHistory(JSON.parse(JSON.stringify({ since: 9, facts: history.facts })) as LogHistory);
  expect(kept.step({ ...by(refused), id: 11 })).toBe(
    'entry 11 contradicts entry 1, since which its actor is revoked',
  );
});

test('what is said again is as if it had been said last', () => {
  const history = new LogHistory({ since: 1 });
  const erase = (nth: number) => history.step({ ...erased, metadata: { subject: `${nth}` }, id: nth });
  history.learn('actor ada', 'revoked', 1);
  for (let nth = 2; nth <= 10_000; nth++) erase(nth);
  history.learn('actor ada', 'revoked', 9);
  for (let nth = 1; nth < 10_000; nth++) erase(10_000 + nth);
  expect(history.facts[0]).toEqual(['actor ada', 'revoked', 1]);
  erase(20_000);
  expect(history.facts[0]?.[0]).toBe('subject 10001');
});

test('of many facts the last 10,000 are known, and a hostile log cannot make them large', () => {
  const history = new LogHistory({ since: 1 });
  for (let id = 1; id <= 10_003; id++) history.step({ ...erased, metadata: { subject: `${id}` }, id });
  expect(history.since).toBe(4);
  expect(history.facts).toHaveLength(10_000);
  const large = 'x'.repeat(1_000);
  history.step({ ...forTenant('api_key.revoke', { api_key_id: large }), id: 10_004 });
  history.step({ ...of('key.create', { status: large }), id: 10_005 });
  expect(history).toMatchObject({ since: 4, facts: { length: 10_000 } });
});
