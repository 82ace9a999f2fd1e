import type { KeyObject } from 'node:crypto';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { anyContext } from '../../../../test/protocol/arbitraries.ts';
import { toBase64 } from '../base64.ts';
import type { Context } from '../context.ts';
import { type DataKey, sealWithIv, wipeDataKey } from '../data-key.ts';
import { deriveDataKey } from '../derive-data-key.ts';
import { InputError } from '../errors.ts';
import { toUtf8 } from '../text.ts';
import type { TextKey } from './engine.ts';
import { sealText, sealTextWithIv } from './node-text.ts';
import { nodeEngine } from './node.ts';

const wrapped = {
  keyId: '00000000-0000-4000-8000-000000000002',
  keyVersion: 1,
  wrappedKey: new Uint8Array(78),
};
const dek = new Uint8Array(32).fill(7);
const iv = Uint8Array.from({ length: 12 }, (_, index) => index);

/** As the engine made it. */
const keyOf = (dataKey: DataKey) => dataKey as TextKey<KeyObject>;

test('text becomes the same envelope as its bytes, whatever was sealed before', () => {
  const dataKeys = [1, 2].map((keyVersion) => deriveDataKey(nodeEngine, dek, { ...wrapped, keyVersion }));
  const contexts = fc.oneof(
    anyContext,
    fc.constantFrom<Context>({ a: '1', b: '2' }, { b: '2', a: '1' }, { a: '1' }),
  );
  fc.assert(
    fc.property(fc.nat(1), fc.string({ unit: 'binary' }), contexts, (which, text, context) => {
      const dataKey = dataKeys[which];
      if (!dataKey) return;
      const envelope = sealWithIv(dataKey, iv, toUtf8(text), context);
      for (let again = 0; again < 2; again++) {
        expect(sealTextWithIv(keyOf(dataKey), iv, text, context)).toEqual({
          ciphertext: toBase64(envelope),
          iv: toBase64(iv),
        });
      }
    }),
  );
});

test('a context that changed between two calls is another context', () => {
  const dataKey = deriveDataKey(nodeEngine, dek, wrapped);
  const context = { row: '1' };
  const first = sealTextWithIv(keyOf(dataKey), iv, 'text', context);
  context.row = '2';
  expect(sealTextWithIv(keyOf(dataKey), iv, 'text', context)).not.toEqual(first);
});

test.each([new Map([['row', '1']]), ['1'], 'row'])(
  '%j is no context, after one that looks alike',
  (value) => {
    const dataKey = deriveDataKey(nodeEngine, dek, wrapped);
    sealText(keyOf(dataKey), 'text', { ...(value as object) });
    expect(() => sealText(keyOf(dataKey), 'text', value as unknown as Context)).toThrow(InputError);
  },
);

test('every call draws an iv', () => {
  const dataKey = deriveDataKey(nodeEngine, dek, wrapped);
  const ivs = Array.from({ length: 200 }, () => sealText(keyOf(dataKey), 'text').iv);
  expect(new Set(ivs).size).toBe(200);
});

test('a lone surrogate, and a data key that was wiped, are refused', () => {
  const dataKey = deriveDataKey(nodeEngine, dek, wrapped);
  expect(() => sealText(keyOf(dataKey), 'a\ud83d')).toThrow(InputError);
  wipeDataKey(dataKey);
  expect(() => sealText(keyOf(dataKey), 'text')).toThrow(InputError);
});
