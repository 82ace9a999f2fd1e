import { insider } from '../caller.ts';
import { resealTenantSecret, type RootKey } from '../crypto/key-hierarchy.ts';
import { sameBytes } from '../crypto/same-bytes.ts';
import { Refusal, Tampered, tampered } from '../refusal.ts';
import { claim, release } from '../root-check.ts';
import type { Service } from '../service.ts';
import { change } from '../state/change.ts';
import { sealTenant } from '../state/integrity.ts';
import { tenantsSealedUnder, updateTenant } from '../store/tenants.ts';
import { tenantDraft } from './draft.ts';

/** How far a rotation of the root key has come. */
export interface RootRotation {
  readonly resealed: number;
  /** Tenants that could not be re-sealed: their rows were changed behind the service's back. */
  readonly failed: readonly string[];
}

/**
 * Seals every tenant's secret under the current root key, and lets go of the previous one when none is left under it.
 * May be interrupted, and goes on from where it was; replicas that have both keys serve meanwhile.
 */
export async function rotateRootKey(
  service: Service,
  previous: RootKey,
  onProgress: (done: number, all: number) => void,
): Promise<RootRotation> {
  const { database, tenants } = service;
  await database.transaction((tx) => claim(tx, tenants.roots));
  const failed = new Set<string>();
  let resealed = 0;
  for (;;) {
    const rows = await database.run((sql) => tenantsSealedUnder(sql, previous.rootId), 30_000);
    const waiting = rows.filter((row) => !failed.has(row.tenant_id));
    for (const [index, { tenant_id: tenantId }] of waiting.entries()) {
      onProgress(index, waiting.length);
      if (await reseal(service, tenantId)) resealed++;
      else failed.add(tenantId);
    }
    // A tenant may have been made under the previous key meanwhile, by a command that did not know of the new one.
    const released = await database.transaction((tx) => release(tx, previous));
    if (released || failed.size > 0) return { resealed, failed: [...failed] };
  }
}

/** Answers false where the tenant's row is not what the service wrote. */
async function reseal(service: Service, tenantId: string): Promise<boolean> {
  const { roots } = service.tenants;
  const [{ rootId }] = roots;
  try {
    await change(service, insider(tenantId, 'operator'), async ({ tx, state, entryId }) => {
      const { mac: _, ...before } = state.tenant;
      if (sameBytes(before.root_id, rootId)) return { draft: null, answer: undefined };
      const sealed = resealTenantSecret(roots, roots[0], {
        tenantId,
        rootId: before.root_id,
        sealedSecret: before.sealed_secret,
      });
      if (!sealed) throw tampered();
      const next = { ...before, root_id: sealed.rootId, sealed_secret: sealed.sealedSecret, rev: entryId };
      await updateTenant(tx, sealTenant(state.secrets, next));
      const metadata = {
        changed: ['root_id'],
        root_id: Buffer.from(rootId).toString('hex'),
        previous_change: before.rev,
      };
      return { draft: tenantDraft('tenant.update', metadata), answer: undefined };
    });
    return true;
  } catch (error) {
    if (error instanceof Tampered) return false;
    // Destroyed meanwhile.
    if (error instanceof Refusal && error.code === 'not_found') return true;
    throw error;
  }
}
