import { toHex } from '@eaas/protocol/internal';
import { tenantDraft } from '@eaas/protocol/service';
import { resealTenantSecret, type RootKey } from '../crypto/key-hierarchy.ts';
import { sameBytes } from '../crypto/hmac.ts';
import { Refusal, Tampered } from '../base/refusal.ts';
import { claim, release } from '../root-key/root-check.ts';
import type { Service } from '../app/service.ts';
import { openSecrets } from '../state/integrity.ts';
import { countSealedUnder, listTenants, tenantsSealedUnder, tenantTable } from '../store/tenants.ts';
import { changeTenant } from './tenants.ts';

export async function checkRootKey({ database, tenants }: Service) {
  const { roots } = tenants;
  const [current, previous] = roots;
  const rows = await database.run(listTenants, 30_000);
  const old = rows.filter(({ root_id }) => previous && sameBytes(root_id, previous.rootId));
  return {
    root_id: toHex(current.rootId),
    previous_root_id: previous ? toHex(previous.rootId) : null,
    tenants: rows.length,
    under_previous: old.length,
    unopened: rows.filter((row) => !openSecrets(roots, row)).map(({ tenant_id }) => tenant_id),
  };
}

export async function rotateRootKey(
  service: Service,
  previous: RootKey,
  onProgress: (done: number, all: number) => void,
  /** Seals again what a package around the server keeps under the root key. */
  resealOthers: (service: Service) => Promise<void> = async () => {},
) {
  const { database, tenants } = service;
  await database.transaction((tx) => claim(tx, tenants.roots));
  const [current] = tenants.roots;
  const failed = new Set<string>();
  let alreadyCurrent = await database.run((sql) => countSealedUnder(sql, current.rootId), 30_000);
  let resealed = 0;
  for (;;) {
    const ids = await database.run((sql) => tenantsSealedUnder(sql, previous.rootId), 30_000);
    const waiting = ids.filter((tenantId) => !failed.has(tenantId));
    for (const [index, tenantId] of waiting.entries()) {
      onProgress(index, waiting.length);
      const outcome = await reseal(service, tenantId);
      if (outcome === 'resealed') resealed++;
      else if (outcome === 'current') alreadyCurrent++;
      else if (outcome === 'failed') failed.add(tenantId);
    }
    await resealOthers(service);
    // A process that knows only the previous root key can create a tenant during the rotation. `release` then returns
    // false, and the next pass of the loop re-encrypts the new tenant.
    const released = await database.transaction((tx) => release(tx, previous));
    if (released || failed.size > 0) return { resealed, alreadyCurrent, failed: [...failed] };
  }
}

type Outcome = 'resealed' | 'current' | 'failed' | 'destroyed';

async function reseal(service: Service, tenantId: string): Promise<Outcome> {
  const { roots } = service.tenants;
  const [current] = roots;
  try {
    return await changeTenant<Outcome>(service, tenantId, ({ state: { tenant: before }, entryId }) => {
      if (sameBytes(before.root_id, current.rootId)) return { row: before, draft: null, answer: 'current' };
      const sealed = resealTenantSecret(roots, before);
      if (!sealed) throw new Tampered(tenantTable.name, tenantId, tenantId);
      const row = { ...before, ...sealed, rev: entryId };
      const changes = { root_id: { old: toHex(before.root_id), new: toHex(current.rootId) } };
      const metadata = { changes, previous_change: before.rev };
      return { row, draft: tenantDraft('tenant.update', metadata), answer: 'resealed' };
    });
  } catch (error) {
    service.alarms.failed(error);
    if (error instanceof Tampered) return 'failed';
    // The error `not_found` means that another process has destroyed the tenant during the rotation, so nothing remains
    // to be done.
    if (error instanceof Refusal && error.code === 'not_found') return 'destroyed';
    throw error;
  }
}
