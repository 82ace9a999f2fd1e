import { expect, test } from 'vitest';
import { callsOf } from './calls.ts';
import type { Part } from './operation.ts';

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
