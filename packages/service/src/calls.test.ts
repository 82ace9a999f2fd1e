import { randomBytes } from 'node:crypto';
import { memoryStore } from '@eaas/local/internal';
import { expect, test } from 'vitest';
import { callsOf } from './calls.ts';
import { tableOf } from './ledger/table.ts';
import type { Part } from './operation.ts';
import { rootKey } from './crypto/tenant-secrets.ts';
import { createService } from './service.ts';

test('each operation of a call gets the part of the one before it, and the first one that of a call that nobody answers', () => {
  const [none, own] = [[] as Part<object>[], { isBatch: true } as Part<object>];
  const end = (): void => {};
  const calls = callsOf([
    { 'GET /v1/usage': (_, __, ___, part) => (none.push(part), own) },
    { 'GET /v1/usage': (_, __, ___, part) => ({ ...part, end }) },
  ]);
  const partOf = (route: 'GET /v1/usage' | 'GET /v1/audit') =>
    calls[route].part({} as never, {} as never, {});
  expect(partOf('GET /v1/usage')).toEqual({ ...own, end });
  expect(none).toEqual([partOf('GET /v1/audit')]);
  expect(none[0]?.judge({} as never, null).answer).toMatchObject({ code: 'not_found' });
});

test('a plugin cannot bring a table whose changes would be recorded under the same id as those of keys', () => {
  const marks = tableOf<{ key_id: string; rev: number }>('marks', ['key_id'], {
    key_id: 'uuid',
    rev: 'number',
  });
  const plugins = [{ name: 'marks', tables: [marks as never] }];
  const start = () =>
    createService({ store: memoryStore({ now: Date.now }), roots: [rootKey(randomBytes(32))], plugins });
  expect(start).toThrow('must begin with different columns: not key_id');
});
