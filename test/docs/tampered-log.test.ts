import { expect, test } from 'vitest';
import { verifyProof } from '@eaas/sdk/proof';
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
