import { endpoints } from '@eaas/protocol/wire';
import { describe, expect, test } from 'vitest';
import { callOf } from '@eaas/protocol/reference';
import { serialize } from './api.ts';

const keys = endpoints['GET /v1/keys'].output;
const page = callOf('GET /v1/keys').output as { keys: object[] };
const inTurns = (isOver = false) => {
  const pauses: string[] = [];
  return { pauses, isOver: () => isOver, pause: async (tenantId: string) => void pauses.push(tenantId) };
};
const written = (output: object, fair = inTurns()) => serialize('GET /v1/keys', keys, output, fair, 'ann');

describe('an output', () => {
  test('a long list lets others go first', async () => {
    const fair = inTurns(true);
    const many = { ...page, keys: Array.from({ length: 100 }, () => page.keys[0]) };
    const text = await written(many, fair);
    expect(fair.pauses).toEqual(Array.from({ length: 100 }, () => 'ann'));
    expect((JSON.parse(text) as typeof page).keys).toHaveLength(100);
  });

  test('the members of a list have only the fields of their schema', async () => {
    expect(await written({ ...page, keys: [{ ...page.keys[0], secret: 1 }] })).not.toContain('secret');
  });

  test.each([
    [
      'a member',
      { ...page, keys: [...page.keys, { ...page.keys[0], key_version: 'x' }] },
      'keys.1.key_version',
    ],
    ['a list that is absent', { count: 0, total: 0, limit: 1, offset: 0 }, 'keys'],
  ])('an invalid output throws an error that names the field: %s', async (_, output, field) => {
    await expect(written(output)).rejects.toThrow(`of GET /v1/keys does not match its schema at ${field}`);
  });
});
