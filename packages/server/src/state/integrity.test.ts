import { createSecretKey } from 'node:crypto';
import { expect, test } from 'vitest';
import { anchorTable, headTable } from '../store/heads.ts';
import { apiKeyTable } from '../store/api-keys.ts';
import { keyTable } from '../store/keys.ts';
import type { Table } from '../store/rows.ts';
import { tenantTable } from '../store/tenants.ts';
import { markerTable, nightTable } from '../store/verifications.ts';
import { macHolds, seal } from './integrity.ts';

type Row = Record<string, unknown> & { readonly mac: Uint8Array };

const secrets = { rowMac: createSecretKey(Buffer.alloc(32, 5)) };
const all = [apiKeyTable, keyTable, tenantTable, headTable, anchorTable, markerTable, nightTable];

/** An object that `Buffer.from` reads like an array of bytes. A column of the type jsonb can contain this object. */
const arrayLike = (text: string): object =>
  Object.assign({ length: text.length }, Object.fromEntries(Buffer.from(text).entries()));

test.each(all.map((table) => [table.name, table as unknown as Table<Row>]))(
  'a number or boolean of the table %s has no valid MAC as text, bytes or null',
  (_, table) => {
    const { booleans = [], numbers = [], columns: names } = table;
    const valueOf = (name: string) => (numbers.includes(name) ? 5 : booleans.includes(name) ? false : 'x');
    const row = seal(secrets, table, Object.fromEntries(names.map((name) => [name, valueOf(name)])));
    expect(macHolds(secrets, table, row)).toBe(true);
    expect(numbers).not.toEqual([]);
    for (const name of [...booleans, ...numbers]) {
      const text = String(row[name]);
      const holds = [text, Buffer.from(text), arrayLike(text), null].map((value) =>
        macHolds(secrets, table, { ...row, [name]: value }),
      );
      expect({ name, holds }).toEqual({ name, holds: [false, false, false, false] });
    }
  },
);
