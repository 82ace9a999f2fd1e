import { madeUpLog } from '@eaas/test-kit/made-up-log';
import { expect, test } from 'vitest';
import { readProof } from './witnessed.ts';

const tenantId = '00000000-0000-4000-8000-000000000001';
const log = madeUpLog();
const index = log.moment([{ tenantId, id: 250, hash: new Uint8Array(32) }], Date.now());

test('a proof names its witnesses and their times, the earliest first, and not the log itself', () => {
  const proof = log.prove(tenantId, index, { signers: { north: 1_780_000_030, east: 1_780_000_000 } });
  expect(readProof(proof)).toEqual({
    id: 250,
    witnesses: [
      { name: 'east.example', time: new Date(1_780_000_000_000) },
      { name: 'north.example', time: new Date(1_780_000_030_000) },
    ],
  });
  expect(readProof(log.prove(tenantId, index, { signers: {} }))).toEqual({ id: 250, witnesses: [] });
});

test.each(['', 'x', 'extra e30=\n', 'extra !\n', `${log.prove(tenantId, index)}— north.example !\n`])(
  'what is no proof is not shown: %j',
  (text) => {
    expect(readProof(text)).toBeUndefined();
  },
);
