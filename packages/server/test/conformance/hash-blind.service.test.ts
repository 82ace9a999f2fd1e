import { nodeCurve } from '@eaas/protocol/blind-hash-node';
import { toUtf8 } from '@eaas/protocol';
import { finish } from '@eaas/protocol/service';
import { describe, expect, test } from 'vitest';
import { blindValues, ProofError } from '@eaas/test-kit/blind-values';
import { randomElements } from '@eaas/test-kit/elements';
import { vectors } from '@eaas/test-kit/vectors';
import type { Client } from '@eaas/test-kit/api';
import { expectNothingRecorded, keyIn, newTenant, ok, unknownId } from '@eaas/test-kit/fixture';
import { aHash } from './shapes.ts';

const path = '/v1/hash/blind';
const tenant = await newTenant();
const key = await tenant.newKey();

const evaluate = (elements: unknown, key_id: unknown = key.key_id, api: Client = tenant.api) =>
  api.post(path, { key_id, elements });

async function blindHashes(values: readonly string[], keyId = key.key_id): Promise<string[]> {
  const blinded = finish(
    blindValues(
      nodeCurve,
      values.map((value) => toUtf8(value)),
    ),
  );
  return finish(blinded.finish(ok(await evaluate(blinded.elements, keyId))));
}

test('blind hash returns an evaluated element for each element, a proof and the public key', async () => {
  const answer = await evaluate(randomElements(3));
  expect(answer).toHaveStatus(200);
  const point = expect.stringMatching(/^A[g-z0-9+/][A-Za-z0-9+/]{42}$/) as string;
  expect(answer.body).toStrictEqual({
    key_id: key.key_id,
    evaluated: [point, point, point],
    proof: expect.stringMatching(/^[A-Za-z0-9+/]{86}==$/) as string,
    public_key: point,
  });
});

test('a client gets a hash that depends only on the value and the key', async () => {
  const other = await tenant.newKey();
  const [first, second, again] = await blindHashes(['x', 'X', 'x']);
  expect(first).toEqual(aHash);
  expect(again).toBe(first);
  expect(second).not.toBe(first);
  expect(await blindHashes(['x'])).toEqual([first]);
  expect(await blindHashes(['x'], key.key_id.toUpperCase())).toEqual([first]);
  expect(await blindHashes(['x'], other.key_id)).not.toEqual([first]);
});

test('a blind hash never equals the result of /v1/hash for the same value', async () => {
  const { hash } = ok(await tenant.api.post('/v1/hash', { key_id: key.key_id, value: 'x' }));
  expect(await blindHashes(['x'])).not.toEqual([hash]);
});

test('a rotation changes neither the blind hash nor the public key', async () => {
  const { key_id } = await tenant.newKey();
  const before = await blindHashes(['x'], key_id);
  const { public_key } = ok(await evaluate(randomElements(1), key_id));
  ok(await tenant.api.post(`/v1/keys/${key_id}/rotate`));
  ok(await tenant.api.post(`/v1/keys/${key_id}/rotate`));
  expect(await blindHashes(['x'], key_id)).toEqual(before);
  expect(ok(await evaluate(randomElements(1), key_id)).public_key).toBe(public_key);
});

test('equal elements in one request have equal evaluations', async () => {
  const [element] = randomElements(1);
  const { evaluated } = ok(await evaluate([element, element]));
  expect(evaluated[0]).toBe(evaluated[1]);
});

test('a client refuses the response to another request', async () => {
  const blinded = finish(blindValues(nodeCurve, [toUtf8('x')]));
  const response = ok(await evaluate(randomElements(1)));
  expect(() => finish(blinded.finish(response))).toThrow(ProofError);
});

describe('an invalid element', () => {
  test.each(vectors('blind-hash').refusals)('the service names the element: $name', async ({ element }) => {
    expect(await evaluate([element])).toBeProblem('bad_request', /`elements\[0\]`/);
    const last = [...randomElements(99), element];
    expect(await evaluate(last)).toBeProblem('bad_request', /`elements\[99\]`/);
  });

  test('the service names the first of several invalid elements', async () => {
    const [good] = randomElements(1);
    expect(await evaluate([good, 'AA==', good, ''])).toBeProblem('bad_request', /`elements\[1\]`/);
  });

  test.each([null, 0, true, {}, ['AA==']])('the service refuses %j', async (element) => {
    expect(await evaluate([...randomElements(1), element])).toBeProblem('bad_request', /`elements\[1\]`/);
  });

  test('an invalid element (400) is found before an unknown key (404) and a disabled key (409)', async () => {
    const disabled = await keyIn(tenant, 'disabled');
    for (const keyId of [unknownId(), disabled.key_id]) {
      expect(await evaluate(['AA=='], keyId)).toBeProblem('bad_request');
    }
  });
});

test('a request has 1 to 100 elements', async () => {
  expect(await evaluate([])).toBeProblem('bad_request', /elements/);
  expect(await evaluate(randomElements(100))).toHaveStatus(200);
  expect(await evaluate(randomElements(101))).toBeProblem('bad_request', /elements/);
});

test('blind hash is refused immediately after the key is disabled', async () => {
  const { key_id } = await tenant.newKey();
  for (let round = 0; round < 20; round++) {
    expect(await evaluate(randomElements(1), key_id)).toHaveStatus(200);
    ok(await tenant.api.post(`/v1/keys/${key_id}/disable`));
    expect(await evaluate(randomElements(1), key_id)).toBeProblem('key_state');
    ok(await tenant.api.post(`/v1/keys/${key_id}/enable`));
  }
});

test('blind hash writes no audit entry and does not count as usage', async () => {
  const usage = ok(await tenant.api.get('/v1/usage'));
  await expectNothingRecorded(tenant, async () => {
    await blindHashes(['x', 'y']);
    await evaluate(['AA==']);
  });
  expect(ok(await tenant.api.get('/v1/usage')).operations).toStrictEqual(usage.operations);
});

test('blind hash works for an envelope-only tenant', async () => {
  const closed = await newTenant('--envelope-only', 'true');
  const { key_id } = await closed.newKey();
  expect(await evaluate(randomElements(1), key_id, closed.api)).toHaveStatus(200);
});

test('blind hash refuses an unknown key id and the name of a key', async () => {
  for (const keyId of [unknownId(), key.name, '']) {
    expect(await evaluate(randomElements(1), keyId)).toBeProblem('not_found');
  }
});
