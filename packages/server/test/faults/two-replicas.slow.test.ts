import { expect, test } from 'vitest';
import { closing } from '@eaas/test-kit/closing';
import { type Answer, type Place, send } from '@eaas/test-kit/faults/client';
import { Load, newDek, tally } from '@eaas/test-kit/faults/load';
import { newKey, readLog, startPair, verify } from '@eaas/test-kit/faults/place';

const pair = await closing(startPair(), (it) => it.end());
const [a, b] = pair.replicas;
const tenant = await pair.operator.newTenant();
const keyId = await newKey(a, tenant.token);

const wrap = (place: Place): Promise<Answer> =>
  send(place, tenant.token, 'POST', `/v1/keys/${keyId}/wrap`, { dek: newDek() });

const wrapMany = (place: Place, count: number): Promise<Answer> => {
  const items = Array.from({ length: count }, () => ({ key_id: keyId, dek: newDek() }));
  return send(place, tenant.token, 'POST', '/v1/batch/wrap', { items });
};

async function during(
  milliseconds: number,
  workers: number,
  request: () => Promise<Answer>,
): Promise<Answer[]> {
  const end = performance.now() + milliseconds;
  const answers: Answer[] = [];
  const work = async (): Promise<void> => {
    while (performance.now() < end) answers.push(await request());
  };
  await Promise.all(Array.from({ length: workers }, work));
  return answers;
}

test('a replica that appends one entry at a time cannot starve a replica that appends 500 at a time', async () => {
  const [long, short] = await Promise.all([
    during(1_500, 12, () => wrapMany(a, 500)),
    during(4_600, 2, () => wrap(b)),
  ]);
  expect(Object.keys(tally(long))).toEqual(['200']);
  expect(Object.keys(tally(short))).toEqual(['200']);
});

test('changes on both replicas cannot starve batches of 1,000 new subjects', async () => {
  const { token } = tenant;
  const load = new Load({ places: [a, b], token, keyId, workers: 4, rest: 10, changes: true });
  const answers: Answer[] = [];
  for (let batch = 0; batch < 3; batch++) {
    const items = Array.from({ length: 1_000 }, (_, nth) => ({
      key_id: keyId,
      dek: newDek(),
      subject: `${batch} ${nth}`,
    }));
    answers.push(await send(a, token, 'POST', '/v1/batch/wrap', { items }));
  }
  const beside = await load.stop();
  expect(Object.keys(tally(answers))).toEqual(['200']);
  expect(JSON.stringify(answers.map(({ body }) => body))).not.toContain('"error"');
  expect(Object.keys(tally(beside))).toEqual(['200', '201']);
});

test('the audit chain is valid after the requests of all these tests', async () => {
  const log = await readLog(b, tenant);
  expect(log.findIndex(({ id }, index) => id !== index + 1)).toBe(-1);
  expect(await verify(b, tenant)).toMatchObject({ valid: true, checked: log.length });
});
