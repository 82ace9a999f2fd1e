import { openTenantSecrets } from '../crypto/key-hierarchy.ts';
import type { Service } from '../service.ts';
import { listTenants } from '../store/tenants.ts';

/** What the root keys open. */
export interface RootKeyCheck {
  readonly root_id: string;
  /** Null where none was given. */
  readonly previous_root_id: string | null;
  readonly tenants: number;
  /** How many of them wait to be sealed under the current root key. */
  readonly under_previous: number;
  /** Tenants whose secret does not open: their rows were changed. */
  readonly unopened: readonly string[];
}

/** Opens every tenant's secret, and says under which root key it is sealed. */
export async function checkRootKey({ database, tenants }: Service): Promise<RootKeyCheck> {
  const { roots } = tenants;
  const [current, previous] = roots.map(({ rootId }) => Buffer.from(rootId).toString('hex'));
  const rows = await database.run(listTenants, 30_000);
  const sealed = rows.map(({ tenant_id: tenantId, root_id: rootId, sealed_secret: sealedSecret }) => ({
    tenantId,
    under: Buffer.from(rootId).toString('hex'),
    opens: openTenantSecrets(roots, { tenantId, rootId, sealedSecret }) !== undefined,
  }));
  return {
    root_id: current ?? '',
    previous_root_id: previous ?? null,
    tenants: rows.length,
    under_previous: sealed.filter(({ under }) => under === previous).length,
    unopened: sealed.filter(({ opens }) => !opens).map(({ tenantId }) => tenantId),
  };
}
