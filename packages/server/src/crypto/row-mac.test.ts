import { createHmac, createSecretKey } from 'node:crypto';
import { pae } from '@eaas/protocol';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { anyCharacter } from '@eaas/test-kit/arbitraries';
import { type Column, rowMac, rowMacHolds } from './macs.ts';

const secret = Buffer.alloc(32, 5);
const key = createSecretKey(secret);
const [keys, apiKeys, heads, anchors] = [
  ['eaas row v1', 'keys'],
  ['eaas row v1', 'api_keys'],
  ['eaas head v1'],
  ['eaas anchor v1'],
] as const;
const columns: Column[] = ['id', null, '', 7, true, false, Buffer.of(0, 255), ['a', 'b'], [], 1786406400000];
const hmac = (bytes: Uint8Array) => createHmac('sha256', secret).update(bytes).digest();

const anyColumn: fc.Arbitrary<Column> = fc.oneof(
  fc.string({ unit: anyCharacter }),
  fc.maxSafeInteger(),
  fc.boolean(),
  fc.uint8Array(),
  fc.constant(null),
  fc.array(fc.string()),
);

describe('the MAC of a row', () => {
  test('the MAC of a row is HMAC-SHA-256 over the encoded label, table name and columns', () => {
    const spelled = [
      'id',
      null,
      '',
      7,
      'true',
      'false',
      Buffer.of(0, 255),
      pae('a', 'b'),
      pae(),
      1786406400000,
    ];
    expect(rowMac(key, keys, columns)).toEqual(hmac(pae('eaas row v1', 'keys', ...spelled)));
    expect(rowMac(key, heads, columns)).toEqual(hmac(pae('eaas head v1', ...spelled)));
  });

  test('a row MAC is valid only for its row, table, column order and key', () => {
    const mac = rowMac(key, keys, columns);
    expect(rowMacHolds(key, keys, columns, mac)).toBe(true);
    expect(rowMacHolds(key, apiKeys, columns, mac)).toBe(false);
    expect(rowMacHolds(key, keys, columns.toReversed(), mac)).toBe(false);
    expect(rowMacHolds(key, keys, [...columns, null], mac)).toBe(false);
    expect(rowMacHolds(createSecretKey(Buffer.alloc(32)), keys, columns, mac)).toBe(false);
    for (const at of columns.keys())
      expect(rowMacHolds(key, keys, columns.with(at, 'changed'), mac)).toBe(false);
  });

  test('a MAC is valid only for its kind of data: row, log head or anchor', () => {
    const [row, head, anchor] = [keys, heads, anchors].map((label) => rowMac(key, label, columns));
    if (!row || !head || !anchor) throw new Error('expected a MAC for each of the three labels');
    expect(rowMacHolds(key, heads, columns, head)).toBe(true);
    expect(rowMacHolds(key, anchors, columns, anchor)).toBe(true);
    expect(rowMacHolds(key, heads, columns, anchor)).toBe(false);
    expect(rowMacHolds(key, anchors, columns, head)).toBe(false);
    expect(rowMacHolds(key, heads, ['keys', ...columns], row)).toBe(false);
  });

  test('a row MAC of the wrong length is invalid', () => {
    const mac = rowMac(key, keys, columns);
    for (const other of [
      mac.subarray(1),
      mac.subarray(0, 16),
      new Uint8Array(0),
      Buffer.concat([mac, mac]),
    ]) {
      expect(rowMacHolds(key, keys, columns, other)).toBe(false);
    }
  });

  test('null, an empty text, an empty list and lists of empty texts have different MACs', () => {
    const macs = [null, '', [], [''], ['', '']].map((column) => rowMac(key, ['t'], [column]));
    expect(new Set(macs.map((mac) => Buffer.from(mac).toString('hex'))).size).toBe(5);
  });

  test('moving text into the next column invalidates the MAC of a row', () => {
    fc.assert(
      fc.property(fc.string(), fc.string({ minLength: 1 }), fc.string(), (a, moved, b) => {
        const mac = rowMac(key, ['t'], [a, moved + b]);
        expect(rowMacHolds(key, ['t'], [a + moved, b], mac)).toBe(false);
      }),
    );
  });

  test('a row with a list of lists has no valid MAC', () => {
    expect(() => rowMac(key, keys, [[['a']] as unknown as string[]])).toThrow(TypeError);
  });

  test('whatever values a row has, its MAC is valid for these values', () => {
    fc.assert(
      fc.property(fc.array(anyColumn), (columns) => {
        expect(rowMacHolds(key, ['t'], columns, rowMac(key, ['t'], columns))).toBe(true);
      }),
    );
  });
});
