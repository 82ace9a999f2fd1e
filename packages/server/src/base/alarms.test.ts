import { expect, test } from 'vitest';
import { Alarms } from './alarms.ts';

function recorded() {
  const place = { time: 0 };
  const alarms = new Alarms(() => place.time);
  const lines: unknown[] = [];
  alarms.log = (fields) => lines.push(fields);
  return { alarms, lines, place };
}

test('every discovery of a tampered row is counted, but each row is logged at most once per minute', () => {
  const { alarms, lines, place } = recorded();
  const raise = (id: string) => alarms.tampered({ table: 'keys', id, tenantId: 'tenant' });
  for (const id of ['one', 'one', 'two']) raise(id);
  expect(lines).toEqual(['one', 'two'].map((row_id) => ({ table: 'keys', row_id, tenant_id: 'tenant' })));
  place.time = 60_000;
  raise('one');
  expect(lines).toHaveLength(3);
  expect(alarms.tamperingFound).toBe(4);
});

test('a lost entry has a line with its tenant, its id and the newest id, once a minute', () => {
  const { alarms, lines, place } = recorded();
  for (const seenId of [7, 7, 9]) alarms.wentBack('tenant', seenId, 8);
  alarms.wentBack('another', 7, 8);
  expect(lines).toEqual([
    { tenant_id: 'tenant', seen_entry: 7, newest_entry: 8 },
    { tenant_id: 'tenant', seen_entry: 9, newest_entry: 8 },
    { tenant_id: 'another', seen_entry: 7, newest_entry: 8 },
  ]);
  place.time = 60_000;
  alarms.wentBack('tenant', 7, 8);
  expect(lines).toHaveLength(4);
});

test('the reason of failed appends is logged at most once per minute, with its step and SQLSTATE', () => {
  const { alarms, lines, place } = recorded();
  const full = Object.assign(new Error('disk full'), { code: '53100' });
  const cut = Object.assign(new Error('cut'), { code: 'EPIPE' });
  const refused = new Error('refused', { cause: Object.assign(new Error('too long'), { code: '22001' }) });
  const fail = () => {
    for (const err of [full, full, cut, refused]) alarms.unwritten(err, 'append');
    alarms.unwritten(full, 'lock');
    alarms.failed(cut, 'read');
  };
  fail();
  expect(lines).toEqual([
    { step: 'append', sqlstate: '53100', err: full },
    { step: 'append', err: cut },
    { step: 'append', sqlstate: '22001', err: refused },
    { step: 'lock', sqlstate: '53100', err: full },
    { step: 'read', err: cut },
  ]);
  place.time = 60_000;
  fail();
  expect(lines).toHaveLength(10);
});
