import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { formatTimestamp, parseTimestamp } from './timestamp.ts';

test('a formatted time is parsed to the same millisecond', () => {
  const anyTime = fc.integer({ min: Date.UTC(1970, 0), max: Date.UTC(9999, 11, 31) });
  fc.assert(
    fc.property(anyTime, (time) => {
      expect(parseTimestamp(formatTimestamp(time))).toBe(time);
      expect(formatTimestamp(time)).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    }),
  );
});

test.each([
  ['2026-08-11T09:30:00Z', '2026-08-11T09:30:00.000Z'],
  ['2026-08-11t09:30:00z', '2026-08-11T09:30:00.000Z'],
  ['2026-08-11T09:30:00.5Z', '2026-08-11T09:30:00.500Z'],
  ['2026-08-11T09:30:00+02:00', '2026-08-11T07:30:00.000Z'],
  ['2026-08-11T00:30:00+23:59', '2026-08-10T00:31:00.000Z'],
  ['2026-12-31T23:30:00-01:00', '2027-01-01T00:30:00.000Z'],
  ['2024-02-29T00:00:00Z', '2024-02-29T00:00:00.000Z'],
  ['2000-02-29T00:00:00Z', '2000-02-29T00:00:00.000Z'],
  ['2016-12-31T18:59:60-05:00', '2017-01-01T00:00:00.000Z'],
  ['0001-01-01T00:00:00Z', '0001-01-01T00:00:00.000Z'],
])('the date %s is parsed as the time %s in UTC', (text, same) => {
  expect(formatTimestamp(parseTimestamp(text) ?? Number.NaN)).toBe(same);
});

test.each([
  ['2026-08-11T09:30:00.0009Z', '00.000', '00.001'],
  ['2026-08-11T09:30:00.9999Z', '00.999', '01.000'],
  ['2026-08-11T09:30:00.1230000000Z', '00.123', '00.123'],
  ['2026-08-11T09:30:00.12300000000000000000000000000001Z', '00.123', '00.124'],
])('the seconds of %s are %s when rounded down, and %s when rounded up', (text, down, up) => {
  expect(formatTimestamp(parseTimestamp(text, 'down') ?? 0).slice(17, -1)).toBe(down);
  expect(formatTimestamp(parseTimestamp(text, 'up') ?? 0).slice(17, -1)).toBe(up);
});

test.each([
  '',
  '2026-08-11',
  '2026-08-11T09:30:00',
  '2026-08-11 09:30:00Z',
  '2026-08-11T09:30:00 02:00',
  '2026-08-11T09:30:00+0200',
  '2026-08-11T09:30:00+24:00',
  '2026-08-11T09:30:00+02:60',
  '2026-08-11T09:30:60Z',
  '2016-12-31T23:59:60-05:00',
  '2026-08-11T09:30:61Z',
  '2026-08-11T24:00:00Z',
  '2026-13-01T00:00:00Z',
  '2026-04-31T00:00:00Z',
  '2026-02-29T00:00:00Z',
  '1900-02-29T00:00:00Z',
  '2026-08-11T09:30:00.Z',
  '2026-08-11T09:30:00,5Z',
  '+02026-08-11T09:30:00Z',
  '2026-08-11T09:30:00Z\n',
  '\u0662026-08-11T09:30:00Z',
])('%j is not a valid date and time', (text) => {
  expect(parseTimestamp(text)).toBeUndefined();
});
