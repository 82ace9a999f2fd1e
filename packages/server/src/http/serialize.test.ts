import { describe, expect, test } from 'vitest';
import { callOf } from '@eaas/protocol/internal-reference';
import { serialize } from './api.ts';
import { memoryService } from './testing/memory-service.ts';

const { shown } = memoryService().service.calls['GET /v1/keys'];
const page = callOf('GET /v1/keys').output as { keys: object[] };
const inTurns = (isOver = false) => {
  const pauses: string[] = [];
  return { pauses, isOver: () => isOver, pause: async (tenantId: string) => void pauses.push(tenantId) };
};
const written = (output: object, fair = inTurns()) => serialize('GET /v1/keys', shown, output, fair, 'ann');

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
});
