import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { setTimeLimits } from '@eaas/test-kit/time-limits';
import { settle, testWorld } from '@eaas/test-kit/world';
import { insider } from './caller.ts';
import type { Sql } from '../store/sql.ts';
import { change } from './change.ts';

const world = await testWorld('2026-11-20T10:00:00Z');
const service = world.replica();
const ann = await settle(service, 'ann');

/** Moves the head in the transaction of the change itself, as if another append had come first. */
const moveHead = async (sql: Sql): Promise<void> => {
  await sql`update eaas.audit_heads set id = id + 1 where tenant_id = ${ann.tenantId}`;
};

function changeThatMovesTheHead(times: number) {
  let attempts = 0;
  const decide = () => ({
    draft: { action: 'tenant.update', keyId: null, keyVersion: null, metadata: '{}' } as const,
    rowId: randomUUID(),
    answer: { attempts: ++attempts },
    write: (tx: Sql) => (attempts <= times ? [moveHead(tx)] : []),
  });
  return change(service, insider(ann.tenantId, 'operator'), { load: async () => {}, decide });
}

const entries = async (): Promise<number> => {
  const [row] = await service.database.run(
    (sql) => sql<{ count: number }[]>`
      select count(*)::int as count from eaas.audit_entries where tenant_id = ${ann.tenantId}`,
  );
  return row?.count ?? 0;
};

test('a change that has locked the head is repeated if another append nevertheless came first', async () => {
  const before = await entries();
  expect(await changeThatMovesTheHead(2)).toEqual({ attempts: 3 });
  expect((await entries()) - before).toBe(1);
});

test('a change that can never be written is refused, and nothing of it is written', async () => {
  setTimeLimits(0.5);
  const before = await entries();
  await expect(changeThatMovesTheHead(Infinity)).rejects.toThrow(/nothing was changed/i);
  expect(await entries()).toBe(before);
});
