import { playLog } from '@eaas/test-kit/played-log';
import { expect, test } from 'vitest';
import type { Call } from '../http/transport.ts';
import { auditOf, type AuditVerification, type AuditRange, type AuditVerifyOptions } from './methods.ts';

const verifyAudit = (call: Call, range?: AuditRange, options?: AuditVerifyOptions) =>
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
  const same = { to_id: 30, checkpoint: 'note' };
  const found = await verifyAudit(call, same, {
    onProgress: ({ valid, next_id, checked }) => told.push([valid, next_id, checked]),
  });
  const whole = { valid: true, complete: true, checked: 30, first_id: 1, last_id: 30 };
  expect(found).toMatchObject({ ...whole, next_id: null });
  expect(asked).toEqual([same, { ...same, from_id: 11 }, { ...same, from_id: 21 }]);
  expect(told).toEqual([
    [null, 11, 10],
    [null, 21, 20],
    [true, null, 30],
  ]);
});

test('`audit.verify` returns the errors of all its calls, each once, and the first 100 of many', async () => {
  const changed = (id: number) => ({ id, reason: 'entry_changed' });
  const errors = Array.from({ length: 100 }, (_, nth) => changed(nth + 1));
  const verify = async (first: object[], then: object[]) =>
    verifyAudit(
      inParts([
        { next_id: 11, valid: false, errors: first, error_count: first.length } as never,
        { ...(then.length > 0 && { valid: false }), errors: then, error_count: then.length } as never,
      ]).call,
    );
  expect(await verify([changed(3)], [])).toMatchObject({ valid: false, complete: true, error_count: 1 });
  const twice = await verify([changed(3)], [changed(3), changed(12)]);
  expect(twice).toMatchObject({ errors: [changed(3), changed(12)], error_count: 2 });
  expect(await verify(errors, [changed(500)])).toMatchObject({ errors, error_count: 101 });
});

const at = (next_id: number): Partial<AuditVerification> => ({ next_id });
test.each([[[at(11), at(11)]], [[at(11), at(5)]], [[at(0)]]])(
  '`audit.verify` throws if a request makes no progress: %j',
  async (parts) => {
    const { call, asked } = inParts(parts);
    await expect(verifyAudit(call)).rejects.toMatchObject({
      code: 'invalid_response',
      message: expect.stringContaining('did not return a greater `next_id` than before'),
    });
    expect(asked).toHaveLength(parts.length);
  },
);

test('`audit.verify` throws if the service returns more entries without end', async () => {
  const found = await playLog(30).call('GET /v1/audit/verify', {});
  let calls = 0;
  const call = async () => ({ ...found, valid: null, complete: false, next_id: ++calls });
  await expect(verifyAudit(call as Call)).rejects.toMatchObject({
    code: 'invalid_response',
    message: expect.stringContaining('did not end the verification after 8640 calls'),
  });
  expect(calls).toBe(8_640);
});
