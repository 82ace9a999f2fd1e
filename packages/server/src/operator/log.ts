// Reads audit logs for commands that print or compare them. Entries are verified by whoever prints them as they come.
import * as core from '@eaas/service';
import type { Service } from '../app/service.ts';
import type { Sql } from '../postgres/sql.ts';

/**
 * Reads entries after one, with both ends of the log, in one snapshot. Returns undefined if there is no such tenant. Throws
 * Tampered if an end is not as the service wrote it; entries are not judged.
 */
export async function readLog({ store, roots }: Service, tenantId: string, after: number, limit: number) {
  const { tenants, anchors, entries } = core;
  const refs = [
    core.refTo(tenants, tenantId),
    core.refTo(anchors, tenantId),
    core.refTo(entries, after),
  ] as const;
  const next = core.allOf<core.EntryRow>({
    table: entries,
    where: [['id', '>=', after + 1]],
    by: 'id',
    limit,
  });
  const { head, rows, found } = await store.read(tenantId, [...refs, next]);
  const [tenant, anchor, known] = refs.map((ref) => rows.get(ref));
  if (!tenant || !head) return undefined;
  return {
    head,
    anchor: anchor?.row as core.AnchorRow | undefined,
    known: known?.row as core.EntryRow | undefined,
    entries: found.get(core.nameOf(next))?.rows.map(({ row }) => row as core.EntryRow) ?? [],
    /** Throws Tampered unless the service wrote both ends of the log. */
    openSecrets(): core.TenantSecrets {
      const opened = core.openTenant(roots, tenant);
      if (!opened) throw new core.Tampered(tenants.name, tenantId, tenantId);
      core.checkHead(opened.secrets, head);
      if (anchor) core.checkRow(opened.secrets, anchors as never, anchor);
      return opened.secrets;
    },
  };
}

/** A head with the sealed secret of its tenant. */
export type SealedHead = core.HeadRow & core.SealedTenantSecret;

/** Whether the service wrote a head, for a reader that has nothing else of its tenant. */
export function isAuthenticHead(roots: core.Roots, head: SealedHead): boolean {
  return core.attempt(() => core.checkHead(core.openTenantSecrets(roots, head), head)) === head;
}

/** The newest entry of each log. */
export async function listHeads(sql: Sql): Promise<{ tenant_id: string; id: number }[]> {
  return sql<{ tenant_id: string; id: number }[]>`select tenant_id, id from eaas.audit_heads`;
}
