import { createHmac, createSecretKey } from 'node:crypto';
import { pae } from '@eaas/protocol';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  anchorMac,
  anchorMacHolds,
  type Column,
  headMac,
  headMacHolds,
  rowMac,
  rowMacHolds,
} from './row-mac.ts';

const secret = Buffer.alloc(32, 5);
const key = createSecretKey(secret);
const columns: Column[] = ['id', null, '', 7, true, false, Buffer.of(0, 255), ['a', 'b'], [], 1786406400000];
const hmac = (bytes: Uint8Array) => createHmac('sha256', secret).update(bytes).digest();

const anyColumn: fc.Arbitrary<Column> = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.maxSafeInteger(),
  fc.boolean(),
  fc.uint8Array(),
  fc.constant(null),
  fc.array(fc.string()),
);

describe('the MAC of a row', () => {
  test('is HMAC-SHA-256 over the pae of label, table and columns: words for booleans, a pae for a list', () => {
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
    expect(rowMac(key, 'keys', columns)).toEqual(hmac(pae('eaas row v1', 'keys', ...spelled)));
    expect(headMac(key, columns)).toEqual(hmac(pae('eaas head v1', ...spelled)));
    expect(anchorMac(key, columns)).toEqual(hmac(pae('eaas anchor v1', ...spelled)));
  });

  test('holds for its own row, and for no other table, column, order or key', () => {
    const mac = rowMac(key, 'keys', columns);
    expect(rowMacHolds(key, 'keys', columns, mac)).toBe(true);
    expect(rowMacHolds(key, 'api_keys', columns, mac)).toBe(false);
    expect(rowMacHolds(key, 'keys', columns.toReversed(), mac)).toBe(false);
    expect(rowMacHolds(key, 'keys', [...columns, null], mac)).toBe(false);
    expect(rowMacHolds(createSecretKey(Buffer.alloc(32)), 'keys', columns, mac)).toBe(false);
    for (const at of columns.keys())
      expect(rowMacHolds(key, 'keys', columns.with(at, 'changed'), mac)).toBe(false);
  });

  test('of a row, a head and an anchor never stand for each other', () => {
    const [row, head, anchor] = [rowMac(key, 'x', columns), headMac(key, columns), anchorMac(key, columns)];
    expect(headMacHolds(key, columns, head)).toBe(true);
    expect(anchorMacHolds(key, columns, anchor)).toBe(true);
    expect(headMacHolds(key, columns, anchor)).toBe(false);
    expect(anchorMacHolds(key, columns, head)).toBe(false);
    expect(headMacHolds(key, ['x', ...columns], row)).toBe(false);
  });

  test('does not hold, and does not throw, where the presented MAC has another length', () => {
    const mac = rowMac(key, 'keys', columns);
    for (const other of [
      mac.subarray(1),
      mac.subarray(0, 16),
      new Uint8Array(0),
      Buffer.concat([mac, mac]),
    ]) {
      expect(rowMacHolds(key, 'keys', columns, other)).toBe(false);
      expect(headMacHolds(key, columns, other)).toBe(false);
      expect(anchorMacHolds(key, columns, other)).toBe(false);
    }
  });

  test('tells apart what is null, empty, an empty list, and a list of one', () => {
    const macs = [null, '', [], [''], ['', '']].map((column) => rowMac(key, 't', [column]));
    expect(new Set(macs.map((mac) => Buffer.from(mac).toString('hex'))).size).toBe(5);
  });

  test('does not hold when anything moves from one column into its neighbour', () => {
    fc.assert(
      fc.property(fc.string(), fc.string({ minLength: 1 }), fc.string(), (a, moved, b) => {
        const mac = rowMac(key, 't', [a, moved + b]);
        expect(rowMacHolds(key, 't', [a + moved, b], mac)).toBe(false);
      }),
    );
  });

  test('holds for any columns', () => {
    fc.assert(
      fc.property(fc.array(anyColumn), (columns) => {
        expect(rowMacHolds(key, 't', columns, rowMac(key, 't', columns))).toBe(true);
      }),
    );
  });
});
