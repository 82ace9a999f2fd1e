import { expect, test } from 'vitest';
import { playLog } from '../../test/played-log.ts';
import type { Call } from '../transport/transport.ts';
import { auditOf, type AuditVerification, type Range, type VerifyOptions } from './methods.ts';

const verifyAudit = (call: Call, range?: Range, options?: VerifyOptions) =>
  auditOf(call).verify(range, options);

function inParts(parts: readonly Partial<AuditVerification>[]) {
  const log = playLog(30);
  const asked: unknown[] = [];
  log.verifies = (query) => {
    asked.push(query);
    const part = parts[asked.length - 1] ?? {};
    const { next_id = null } = part;
    return {
      valid: next_id === null ? true : null,
      complete: next_id === null,
      next_id,
      checked: 10,
      ...part,
    };
  };
  return { call: log.call, asked };
}

test('`audit.verify` continues where the last call ended, and returns one combined result', async () => {
  const { call, asked } = inParts([
    { next_id: 11, first_id: 1, last_id: 10 },
    { next_id: 21, first_id: 11, last_id: 20 },
    { first_id: 21, last_id: 30 },
  ]);
  const told: unknown[] = [];
  const found = await verifyAudit(
    call,
    { to_id: 30, checkpoint: 'note' },
    {
      onProgress: ({ valid, next_id, checked }) => told.push([valid, next_id, checked]),
    },
  );
  expect(found).toMatchObject({
    valid: true,
    complete: true,
    next_id: null,
    next_row: null,
    checked: 30,
    first_id: 1,
    last_id: 30,
  });
  const same = { to_id: 30, checkpoint: 'note' };
  expect(asked).toEqual([same, { ...same, from_id: 11 }, { ...same, from_id: 21 }]);
  expect(told).toEqual([
    [null, 11, 10],
    [null, 21, 20],
    [true, null, 30],
  ]);
});

test('`audit.verify` continues at `next_row`, even if `next_id` stays the same', async () => {
  const { call, asked } = inParts([
    { next_id: 1, next_row: 'keys:a', checked: 0 },
    { next_id: 1, next_row: 'api_keys:b', checked: 0 },
    { next_id: 11, next_row: 'done:b' },
    {},
  ]);
  expect(await verifyAudit(call)).toMatchObject({ valid: true, next_id: null, next_row: null, checked: 20 });
  expect(asked).toEqual([
    {},
    { from_id: 1, row: 'keys:a' },
    { from_id: 1, row: 'api_keys:b' },
    { from_id: 11, row: 'done:b' },
  ]);
});

test('`audit.verify` returns an invalid result if one of its calls returned an invalid result', async () => {
  const wrong = { errors: [{ id: 3, reason: 'entry_changed' }], error_count: 1 };
  const { call } = inParts([{ next_id: 11, valid: false, ...wrong }, {}]);
  expect(await verifyAudit(call)).toMatchObject({ valid: false, complete: true, ...wrong });
});

test('`audit.verify` counts an error once if several of its calls report the error', async () => {
  const row = { id: 3, reason: 'key_missing: k' };
  const { call } = inParts([
    { next_id: 11, valid: false, errors: [row], error_count: 1 },
    { valid: false, errors: [row, { id: 12, reason: 'entry_changed' }], error_count: 2 },
  ]);
  expect(await verifyAudit(call)).toMatchObject({
    errors: [row, { id: 12, reason: 'entry_changed' }],
    error_count: 2,
  });
});

test('`audit.verify` returns the first 100 errors and the count of all errors', async () => {
  const errors = (from: number) =>
    Array.from({ length: 100 }, (_, nth) => ({ id: from + nth, reason: 'entry_changed' }));
  const { call } = inParts([
    { next_id: 11, valid: false, errors: errors(1), error_count: 250 },
    { valid: false, errors: errors(500), error_count: 150 },
  ]);
  expect(await verifyAudit(call)).toMatchObject({ errors: errors(1), error_count: 400 });
});

const row = 'keys:a';
test.each<[Partial<AuditVerification>[]]>([
  [[{ next_id: 11 }, { next_id: 11 }]],
  [[{ next_id: 11 }, { next_id: 5 }]],
  [[{ next_id: 0 }]],
  [
    [
      { next_id: 1, next_row: row },
      { next_id: 1, next_row: row },
    ],
  ],
  [
    [
      { next_id: 1, next_row: 'keys:b' },
      { next_id: 1, next_row: 'keys:a' },
    ],
  ],
  [
    [
      { next_id: 1, next_row: 'api_keys:a' },
      { next_id: 2, next_row: 'keys:b' },
    ],
  ],
  [[{ next_id: 1, next_row: 'keys:a' }, { next_id: 2 }]],
])('`audit.verify` throws if the next position is not after the previous position: %j', async (parts) => {
  const { call, asked } = inParts(parts);
  await expect(verifyAudit(call)).rejects.toMatchObject({
    code: 'invalid_response',
    message: expect.stringContaining('did not return a greater `next_id` or `next_row` than before'),
  });
  expect(asked).toHaveLength(parts.length);
});

test('`audit.verify` throws if the service returns a `next_row` that is smaller than the `row` of the request', async () => {
  const { call } = inParts([{ next_id: 1, next_row: 'keys:a' }]);
  await expect(verifyAudit(call, { row: 'keys:b' })).rejects.toMatchObject({ code: 'invalid_response' });
});

test.each<[string, (calls: number) => Partial<AuditVerification>]>([
  ['rows', (calls) => ({ next_id: 1, next_row: `keys:${`${calls}`.padStart(9, '0')}` })],
  ['entries', (calls) => ({ next_id: calls, next_row: 'done:0' })],
])('`audit.verify` throws if the service returns more %s without end', async (_, next) => {
  const found = await playLog(30).call('GET /v1/audit/verify', {});
  let calls = 0;
  const call = async () => ({ ...found, valid: null, complete: false, ...next(++calls) });
  await expect(verifyAudit(call as Call)).rejects.toMatchObject({
    code: 'invalid_response',
    message: expect.stringContaining('did not end the verification after 8640 calls'),
  });
  expect(calls).toBe(8_640);
});
