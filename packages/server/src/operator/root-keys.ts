// Checks which root keys open the tenants of a database, and rotates them: each tenant's secret is sealed anew, with an entry.
import { toHex } from '@eaas/protocol/internal';
import {
  attempt,
  insider,
  openTenantSecrets,
  type RootKey,
  resealTenant,
  sameBytes,
  settle,
  Tampered,
} from '@eaas/service';
import type { Service } from '../app/service.ts';
import { claim, release } from '../root-key/root-check.ts';
import { findTenants, isNoTenant, orNoTenant } from './tenants.ts';

export async function checkRootKey({ database, roots }: Service) {
  const [current, previous] = roots;
  const rows = (await database.run((sql) => findTenants(sql), 30_000)).map(({ row }) => row);
  return {
    root_id: toHex(current.rootId),
    previous_root_id: previous ? toHex(previous.rootId) : null,
    tenants: rows.length,
    under_previous: rows.filter(({ root_id }) => previous && sameBytes(root_id, previous.rootId)).length,
    unopened: rows
      .filter((row) => !attempt(() => openTenantSecrets(roots, row)))
      .map(({ tenant_id }) => tenant_id),
  };
}

export async function rotateRootKey(
  service: Service,
  previous: RootKey,
  onProgress: (done: number, all: number) => void,
  /** Seals again what a package around the server keeps under the root key. */
  resealOthers: (service: Service) => Promise<void> = async () => {},
) {
  const { database, roots } = service;
  await database.transaction((tx) => claim(tx, roots));
  const sealedUnder = async ({ rootId }: RootKey): Promise<string[]> => {
    const rows = await database.run(
      (sql) => sql<{ tenant_id: string }[]>`
        select tenant_id from eaas.tenants where root_id = ${rootId} order by tenant_id`,
      30_000,
    );
    return rows.map(({ tenant_id }) => tenant_id);
  };
  const alreadyCurrent = (await sealedUnder(roots[0])).length;
  const failed = new Set<string>();
  let resealed = 0;
  for (;;) {
    const waiting = (await sealedUnder(previous)).filter((tenantId) => !failed.has(tenantId));
    for (const [index, tenantId] of waiting.entries()) {
      onProgress(index, waiting.length);
      try {
        const caller = insider(tenantId, 'operator');
        const { receipts } = await orNoTenant(settle(service, caller, resealTenant(roots)));
        // Without an entry, another process has sealed the secret anew.
        if (receipts.count > 0) resealed++;
      } catch (error) {
        // Another process can have destroyed the tenant meanwhile, so nothing remains to be done.
        if (isNoTenant(error)) continue;
        if (!(error instanceof Tampered)) throw error;
        failed.add(tenantId);
      }
    }
    await resealOthers(service);
    // A process that knows only the previous root key can create a tenant during the rotation. `release` then returns
    // false, and the next pass seals the secret of the new tenant.
    const released = await database.transaction((tx) => release(tx, previous));
    if (released || failed.size > 0) return { resealed, alreadyCurrent, failed: [...failed] };
  }
}
