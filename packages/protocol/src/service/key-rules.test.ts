import { expect, test } from 'vitest';
import { limits } from '../wire/limits.ts';
import { orRefusal } from './batch.ts';
import { disabled, newKey, rotated, settled } from './key-rules.ts';

const at = { time: Date.parse('2026-11-20T10:00:00.000Z'), entryId: 7 };
const known = { keyId: '00000000-0000-4000-8000-00000000000a', nameIsTaken: false };
const { row: key } = newKey({ name: 'a', rotation_policy: { interval_days: 1 } }, at, known);
const due = { time: at.time + 86_400_000, entryId: 8 };

test('a due rotation happens only while the key is active', () => {
  expect(settled(key, { ...due, time: due.time - 1 })).toEqual({ row: key, draft: null });
  expect(settled(key, due).row.key_version).toBe(2);
  const { row } = disabled(key, at);
  expect(settled(row, due)).toEqual({ row, draft: null });
});

test('a key has at most 10,000 versions', () => {
  const versions = (key_version: number) => orRefusal(() => rotated({ ...key, key_version }, at));
  expect(versions(limits.keyVersions - 1)).toMatchObject({ row: { key_version: 10_000 } });
  expect(versions(limits.keyVersions)).toMatchObject({ code: 'conflict' });
});
