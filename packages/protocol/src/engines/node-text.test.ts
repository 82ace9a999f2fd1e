import type { KeyObject } from 'node:crypto';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { anyCharacter, anyContext } from '@eaas/test-kit/arbitraries';
import { withIv } from '../../test/fixed-iv.ts';
import { runs } from '@eaas/test-kit/cases';
import { toBase64 } from '../base64.ts';
import type { Context } from '../context.ts';
import { type DataKey, sealUnder, wipeDataKey } from '../data-key.ts';
import { deriveDataKey } from '../derive.ts';
import { InputError } from '../errors.ts';
import { toUtf8 } from '../text.ts';
import type { TextKey } from './engine.ts';
import { sealText } from './node-text.ts';
import { nodeEngine } from './node.ts';

const wrapped = {
  keyId: '00000000-0000-4000-8000-000000000002',
  keyVersion: 1,
  wrappedKey: new Uint8Array(78),
};
const dek = new Uint8Array(32).fill(7);
const iv = Uint8Array.from({ length: 12 }, (_, index) => index);

const keyOf = (dataKey: DataKey) => dataKey as TextKey<KeyObject>;

test('for any text and context, `sealText` returns the same envelope as `sealUnder`', () => {
  const dataKeys = [1, 2].map((last) =>
    deriveDataKey(nodeEngine, dek, { ...wrapped, keyId: `00000000-0000-4000-8000-00000000000${last}` }),
  );
  const contexts = fc.oneof(
    anyContext,
    fc.constantFrom<Context>({ a: '1', b: '2' }, { b: '2', a: '1' }, { a: '1' }),
  );
  fc.assert(
    fc.property(fc.nat(1), fc.string({ unit: anyCharacter }), contexts, (which, text, context) => {
      const dataKey = dataKeys[which];
      const other = dataKeys[1 - which];
      if (!dataKey || !other) return;
      const envelope = withIv(iv, () => sealUnder(dataKey, toUtf8(text), context));
      for (let again = 0; again < 2; again++) {
        sealUnder(other, toUtf8(text), context);
        expect(withIv(iv, () => sealText(keyOf(dataKey), text, context))).toBe(toBase64(envelope));
      }
    }),
    { numRuns: runs(300) },
  );
});

test('a context object that was changed between two calls is encoded again', () => {
  const dataKey = deriveDataKey(nodeEngine, dek, wrapped);
  const context = { row: '1' };
  const first = withIv(iv, () => sealText(keyOf(dataKey), 'text', context));
  context.row = '2';
  expect(withIv(iv, () => sealText(keyOf(dataKey), 'text', context))).not.toEqual(first);
});

test('every call of sealText uses a new iv', () => {
  const dataKey = deriveDataKey(nodeEngine, dek, wrapped);
  const ivs = Array.from({ length: 200 }, () => sealText(keyOf(dataKey), 'text'));
  expect(new Set(ivs).size).toBe(200);
});

test('sealText refuses a lone surrogate and a wiped data key', () => {
  const dataKey = deriveDataKey(nodeEngine, dek, wrapped);
  expect(() => sealText(keyOf(dataKey), 'a\ud83d')).toThrow(InputError);
  wipeDataKey(dataKey);
  expect(() => sealText(keyOf(dataKey), 'text')).toThrow(InputError);
});

test('sealText refuses a context with an inherited member, even if the previous context had the same members', () => {
  const dataKey = deriveDataKey(nodeEngine, dek, wrapped);
  sealText(keyOf(dataKey), 'text', { row: '1', table: 'users' });
  const inheriting = Object.assign(Object.create({ table: 'users' }) as object, { row: '1' }) as Context;
  expect(() => sealText(keyOf(dataKey), 'text', inheriting)).toThrow(/inherited/);
});
