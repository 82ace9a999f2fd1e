import { randomBytes } from 'node:crypto';
import { parseNote, bundleEntries } from '@eaas/protocol/internal-log';
import { rotateRootKey } from '@eaas/server/internal';
import { expect, test } from 'vitest';
import { initLog, logStatus, resealLogKeys, restartLog } from '../src/keys.ts';
import { act, begunLog, origin, ownLog } from './own-log.ts';

const next = 'eaas.example/log2';

test('a restart ends the log, and the new one begins with the last checkpoint of the old one', async () => {
  const { log, ann } = await begunLog();
  await log.witnessed();
  const old = await log.newest();
  expect(await logStatus(log.service)).toMatchObject({ size: 1, signed_by: ['witness.example'] });
  await expect(restartLog(log.service, origin)).rejects.toThrow('choose another origin');
  expect(await restartLog(log.service, next)).toMatchObject({ ended: origin, origin: next });
  const [entry] = bundleEntries(Buffer.from((await log.read('tile/entries/000.p/1')) ?? '')) ?? [];
  const checkpoint = Buffer.from(old?.note ?? '').toString('base64');
  expect(Buffer.from(entry ?? []).toString()).toBe(`eaas.restart.v1\n${checkpoint}\n`);
  await log.later();
  expect(await log.newest(next)).toMatchObject({ index: 1 });
  expect(await log.newest()).toMatchObject({ index: 0 });
  expect(await log.prove(ann)).toContain(`\n\n${next}\n2\n`);
  await expect(initLog(log.service, 'eaas.example/log3')).rejects.toThrow(`already has the log ${next}`);
});

test('a log that was halted can be restarted', async () => {
  const { log } = await begunLog();
  await (await log.witnesses())?.halt('for a test');
  expect(await log.witnesses()).toBeUndefined();
  await restartLog(log.service, next);
  expect(await logStatus(log.service)).toMatchObject({ origin: next, size: 1, halted: null });
});

test.each(['', 'https://eaas.example/log', 'eaas example', 'eaas+example', 'ä', 'x'.repeat(256)])(
  'the origin %j is refused',
  async (wrong) => {
    const log = await ownLog();
    await expect(restartLog(log.service, wrong)).rejects.toThrow('The origin must be the address of the log');
  },
);

test('a rotation of the root key seals the keys of all logs again', async () => {
  const { log, ann } = await begunLog();
  await restartLog(log.service, next);
  const { previous, current, during } = log.rotating(randomBytes(32));
  await rotateRootKey(during, previous, () => {}, resealLogKeys);
  expect(await log.sql`select from eaas.log_keys where root_id = ${current.rootId}`).toHaveLength(2);
  expect(await log.sql`select from eaas.root_checks`).toHaveLength(1);
  await act(during, ann);
  await log.moment(log.processOf(during));
  expect(await log.newest(next)).toMatchObject({ index: 1 });
  expect(parseNote((await log.newest(next))?.note ?? '')?.signatures).toHaveLength(1);
});

test('the previous root key is kept until the key of the log is sealed again', async () => {
  const log = await ownLog();
  const { previous, during } = log.rotating(randomBytes(32));
  const checks: number[] = [];
  await rotateRootKey(
    during,
    previous,
    () => {},
    async (service) => {
      checks.push((await log.sql`select from eaas.root_checks`).length);
      if (checks.length === 3) await resealLogKeys(service);
    },
  );
  expect(checks).toEqual([2, 2, 2]);
  expect(await log.sql`select from eaas.root_checks`).toHaveLength(1);
});
