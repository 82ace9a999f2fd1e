import { expect, test } from 'vitest';
import { type EntryProof, verifyProof } from '@eaas/audit';
import { read } from '@eaas/test-kit/markdown';
import { tamperedLog } from './tampered-log.ts';

const file = (name: string): string => read(`examples/tampered-log/${name}`);

test('the files of the example are what the program writes', () => {
  for (const [name, text] of Object.entries(tamperedLog()))
    expect({ name, text: file(name) }).toEqual({ name, text });
});

test('the proof of the example shows the last entry of the original log, and not of the changed one', async () => {
  const { id, hash, witnesses } = await verifyProof(file('acme.tlog-proof'), file('policy.txt'));
  const last = (name: string): unknown => JSON.parse(file(name).trimEnd().split('\n').at(-1) ?? '');
  expect(last('acme.original.ndjson')).toMatchObject({ id, hash });
  expect(last('acme.ndjson')).toMatchObject({ id });
  expect(last('acme.ndjson')).not.toMatchObject({ hash });
  expect(witnesses).toEqual(['north', 'south']);
});

test('the entry proof of the example shows what the changed entry was', async () => {
  const given = JSON.parse(file('acme.entry-proof')) as EntryProof;
  const { entry } = await verifyProof(given, file('policy.txt'));
  const at = (name: string): unknown => JSON.parse(file(name).split('\n')[entry.id - 1] ?? '');
  expect(at('acme.original.ndjson')).toEqual(entry);
  expect(at('acme.ndjson')).not.toMatchObject({ actor: entry.actor });
});
