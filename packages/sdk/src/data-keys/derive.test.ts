import { type Engine, nobleEngine } from '@eaas/protocol';
import { expect, test } from 'vitest';
import { deriveDataKey, wipe } from './derive.ts';

const zeros = new Uint8Array(32);

test('the DEK and the bytes derived from it are overwritten, and `wipe` overwrites the data key', async () => {
  const dek = crypto.getRandomValues(new Uint8Array(32));
  const given: Uint8Array[] = [];
  const keys: Uint8Array[] = [];
  const values: Engine<'sync'> = {
    ...nobleEngine,
    importKey(bytes) {
      const key = nobleEngine.importKey(bytes);
      given.push(bytes);
      keys.push(key);
      return key;
    },
  };
  const wrapped = {
    keyId: '00000000-0000-4000-8000-000000000002',
    keyVersion: 1,
    wrappedKey: new Uint8Array(78),
  };
  const engines = { values, sync: values, streams: values };
  const dataKey = await deriveDataKey(engines, dek, wrapped, false);
  expect([dek, ...given]).toEqual([zeros, zeros]);
  expect(keys).not.toEqual([zeros]);
  wipe(dataKey);
  expect(keys).toEqual([zeros]);
});
