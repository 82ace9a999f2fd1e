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

test('the reason of failed appends is logged at most once per minute', () => {
  const { alarms, lines, place } = recorded();
  const err = new Error('disk full');
  alarms.unwritten(err);
  alarms.unwritten(err);
  expect(lines).toEqual([{ err }]);
  place.time = 60_000;
  alarms.unwritten(err);
  expect(lines).toHaveLength(2);
});
