// What a service notices that has not met a tenant, but remembers the newest entry of its log from before.
import type { MemoryTenant } from '@eaas/local/internal';
import { expect, test } from 'vitest';
import { openTenant } from '../../test/open-tenant.ts';
import { look, note } from '../../test/pair.ts';
import { run, settle } from '../operate.ts';
import type { HeadMemory, SeenHead } from './head-memory.ts';
import { withMac } from './row-macs.ts';
import { refTo } from './table.ts';
import { anchors, entries, type HeadRow } from './tables.ts';

type Contents = Pick<MemoryTenant, 'head' | 'tables'>;

/** A tenant whose state can be copied and put back, and servers that share one memory and say what they notice. */
async function openRemembered() {
  const { store, tenantId, operator, start } = await openTenant();
  const kept = new Map<string, SeenHead>();
  const headMemory: HeadMemory = {
    get: (tenant) => kept.get(tenant),
    saw: (tenant, { id, hash }) => void kept.set(tenant, { id, hash }),
  };
  const told: string[] = [];
  const listener = {
    wentBack: (_: string, seenId: number, foundId: number) =>
      void told.push(`lost ${seenId}, ends with ${foundId}`),
    rememberedIsPurged: (_: string, seenId: number) => void told.push(`outlived ${seenId}`),
    tampered: (table: string) => void told.push(`${table} altered`),
  };
  const tenant = (): MemoryTenant => {
    const found = store.tenants.get(tenantId);
    if (!found) throw new Error('expected the tenant');
    return found;
  };
  const copy = ({ head, tables }: Contents): Contents => ({
    head,
    tables: new Map(Array.from(tables, ([name, rows]) => [name, new Map(rows)])),
  });
  const serve = () => {
    const service = start({ headMemory, listener });
    return {
      service,
      write: () => settle(service, operator, note),
      look: () => settle(service, operator, look, { reads: {} }),
      list: () => run(service, operator, 'GET /v1/audit', {}),
    };
  };
  return {
    tenantId,
    kept,
    told,
    tenant,
    serve,
    rememberedId: () => kept.get(tenantId)?.id,
    backUp: () => copy(tenant()),
    putBack: (contents: Contents) => void store.tenants.set(tenantId, { ...tenant(), ...copy(contents) }),
  };
}

/** A tenant that was put back to what it was, and servers that have not met it yet. */
async function putBackTenant() {
  const opened = await openRemembered();
  const first = opened.serve();
  await first.write();
  const before = opened.backUp();
  await first.write();
  const after = opened.backUp();
  opened.putBack(before);
  return { ...opened, before, after };
}

test('what is appended, read and followed is remembered, and nothing is told of a log that goes on', async () => {
  const { serve, rememberedId, told } = await openRemembered();
  const [one, other] = [serve(), serve()];
  await one.look();
  expect(rememberedId()).toBe(undefined);
  await one.write();
  expect(rememberedId()).toBe(1);
  await other.write();
  await one.write();
  expect(rememberedId()).toBe(3);
  await serve().look();
  await serve().list();
  expect(told).toEqual([]);
});

test.each(['look', 'list', 'write'] as const)(
  'a server that has just started tells of a tenant that was put back, at its first call (%s)',
  async (call) => {
    const { serve, told, rememberedId } = await putBackTenant();
    await serve()[call]();
    expect(told).toEqual(['lost 2, ends with 1']);
    expect(rememberedId()).toBe(2);
  },
);

test('what was lost stays remembered until the log has it again', async () => {
  const { serve, told, rememberedId, putBack, after, before } = await putBackTenant();
  const server = serve();
  await server.write();
  await server.write();
  await server.write();
  expect(rememberedId()).toBe(2);
  putBack(after);
  await serve().write();
  expect(rememberedId()).toBe(3);
  expect(told).toEqual(['lost 2, ends with 1']);
  putBack(before);
  await serve().look();
  expect(told).toEqual(['lost 2, ends with 1', 'lost 3, ends with 1']);
});

test('another entry at the id that is remembered, and none at all, are losses', async () => {
  const { serve, told, tenant, backUp, putBack } = await openRemembered();
  const first = serve();
  await first.write();
  const { head, tables } = backUp();
  await first.write();
  await first.write();

  const log = tenant().tables.get(entries.name);
  const name = refTo(entries, 3);
  const stored = log?.get(name);
  if (!stored) throw new Error('expected the entry');
  log?.set(name, { ...stored, row: { ...stored.row, hash: new Uint8Array(32) } as typeof stored.row });
  await serve().look();
  log?.delete(name);
  await serve().look();
  expect(told).toEqual(['lost 3, ends with 3', 'lost 3, ends with 3']);

  putBack({ head, tables });
  await serve().look();
  expect(told.at(-1)).toBe('lost 3, ends with 1');
});

test('a head that was put back is a loss, also if the entries after it were left', async () => {
  const { serve, told, putBack, before, after } = await putBackTenant();
  putBack({ head: before.head, tables: after.tables });
  await serve().look();
  expect(told).toContain('lost 2, ends with 1');
});

/** A log whose entries through 2 are purged, with an anchor that says so unless it is altered. */
async function purgedTenant(alter: (anchor: object) => object = (anchor) => anchor) {
  const opened = await openRemembered();
  const first = opened.serve();
  await first.write();
  await first.write();
  const seen = opened.kept.get(opened.tenantId) as SeenHead;
  await first.write();
  opened.kept.set(opened.tenantId, seen);

  const { tenantId } = opened;
  const { tables } = opened.tenant();
  const log = tables.get(entries.name);
  for (const id of [1, 2]) log?.delete(refTo(entries, id));
  const { secrets } = first.service.ledger.guesses.get(tenantId) ?? {};
  if (!secrets) throw new Error('expected that the tenant is open');
  const row = withMac(secrets, anchors, { tenant_id: tenantId, id: 2, hash: seen.hash }) as HeadRow;
  tables.set(anchors.name, new Map([[refTo(anchors, tenantId), { row: alter(row), newest_rev: null }]]));
  return opened;
}

test('of an entry that was purged nobody knows, which is told once', async () => {
  const { serve, told, rememberedId } = await purgedTenant();
  await serve().look();
  await serve().look();
  expect(told).toEqual(['outlived 2']);
  expect(rememberedId()).toBe(3);
});

test('an anchor that the service did not write excuses nothing', async () => {
  const { serve, told } = await purgedTenant((anchor) => ({ ...anchor, hash: new Uint8Array(32) }));
  await serve().look();
  expect(told).toEqual(['audit_anchors altered', 'lost 2, ends with 3']);
});

test('a list shows a loss to a server that has met the tenant, too', async () => {
  const { serve, told, backUp, putBack } = await openRemembered();
  const server = serve();
  await server.write();
  const before = backUp();
  await server.write();
  putBack(before);
  await server.list();
  expect(told).toEqual(['lost 2, ends with 1']);
});
