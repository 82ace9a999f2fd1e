// One moment of as many tenants as no statement has parameters for.
import { addHeads, moveHeads } from '@eaas/test-kit/heads';
import { expect, test } from 'vitest';
import { proofOf } from '../src/proofs.ts';
import { ownLog } from './own-log.ts';

const tenants = 100_000;

test('a moment of 100,000 tenants proves each of them, and an idle one writes nothing', async () => {
  const log = await ownLog();
  await addHeads(log.sql, log.world.roots, tenants);
  await log.sql`analyze eaas.audit_heads`;
  const count = async () => (await log.sql`select from eaas.log_proofs`).length;
  const moments = async () => (await log.sql`select from eaas.log_moments`).length;
  for (let made = 0; made < 2; made++) {
    await log.moment();
    expect([await count(), await moments()]).toEqual([tenants, 1]);
  }
  await moveHeads(log.sql, log.world.roots);
  await log.moment();
  expect(await moments()).toBe(2);
  await log.witnessed();
  const some = await log.sql<{ tenant_id: string }[]>`
    select tenant_id from eaas.audit_heads order by tenant_id limit 20`;
  for (const { tenant_id } of some) {
    const proof = await log.service.reads.transaction((tx) => proofOf(tx, tenant_id, undefined, 0));
    expect((await log.verify(proof)).tenantId).toBe(tenant_id);
    const extra = /^extra (.*)$/m.exec(proof)?.[1] ?? '';
    const { path } = JSON.parse(Buffer.from(extra, 'base64').toString()) as { path: string[] };
    expect(path.length).toBeLessThan(64);
  }
});
