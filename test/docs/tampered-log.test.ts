import { expect, test } from 'vitest';
import { type EntryProof, verifyProof } from '@eaas/audit';
import { read } from '@eaas/test-kit/markdown';

const file = (name: string): string => read(`examples/tampered-log/${name}`);

const entryAt = (name: string, at: number): unknown =>
  JSON.parse(file(name).trimEnd().split('\n').at(at) ?? '');

test('the proof of the example shows the last entry of the original log, and not of the changed one', async () => {
  const { id, hash, witnesses } = await verifyProof(file('acme.tlog-proof'), file('policy.txt'));
  expect(entryAt('acme.original.ndjson', -1)).toMatchObject({ id, hash });
  expect(entryAt('acme.ndjson', -1)).toMatchObject({ id });
  expect(entryAt('acme.ndjson', -1)).not.toMatchObject({ hash });
  expect(witnesses).toEqual(['north', 'south']);
});

test('the entry proof of the example shows what the changed entry was', async () => {
  const given = JSON.parse(file('acme.entry-proof')) as EntryProof;
  const { entry } = await verifyProof(given, file('policy.txt'));
  expect(entryAt('acme.original.ndjson', entry.id - 1)).toEqual(entry);
  expect(entryAt('acme.ndjson', entry.id - 1)).not.toMatchObject({ actor: entry.actor });
});
