import {
  entriesFrom,
  entryAt,
  findAnchor,
  findHead,
  Refusal,
  type Service,
  shownEntry,
  type ShownEntry,
  Tampered,
} from '@eaas/server/internal';

const pageSize = 2_000;

export async function* exportAudit({ database }: Service, tenantId: string, fromId: number) {
  const [head, anchor] = await database.snapshot((tx) =>
    Promise.all([findHead(tx, tenantId), findAnchor(tx, tenantId)]),
  );
  if (!head) throw new Tampered('audit_heads', tenantId, tenantId);
  let next = Math.max(fromId, (anchor?.id ?? 0) + 1);
  while (next <= head.id) {
    const first = next;
    const rows = await database.run((sql) => entriesFrom(sql, tenantId, first, head.id, pageSize), 30_000);
    for (const row of rows) if (row.id !== next++) throw gap(next - 1);
    if (rows.length === 0) throw gap(next);
    yield { entries: rows.map((row) => shownEntry(tenantId, row)), last: head.id };
  }
}

export async function requireContinuable(
  { database }: Service,
  tenantId: string,
  last: Pick<ShownEntry, 'tenant_id' | 'id' | 'hash'>,
): Promise<void> {
  const [stored, anchor] = await database.snapshot((tx) =>
    Promise.all([entryAt(tx, tenantId, last.id), findAnchor(tx, tenantId)]),
  );
  const known = anchor?.id === last.id ? anchor : stored;
  if (known && last.tenant_id === tenantId && Buffer.from(known.hash).toString('hex') === last.hash) return;
  const purged = anchor && anchor.id > last.id && last.tenant_id === tenantId;
  throw new Refusal(
    'conflict',
    purged
      ? `The file ends with entry ${last.id}, and entries up to ${anchor.id} were purged since then: export to a new file.`
      : `The file ends with entry ${last.id}, which is not an entry of this tenant: export to a new file.`,
  );
}

function gap(id: number): Refusal {
  return new Refusal(
    'conflict',
    `Audit entry ${id} is missing, so the export ends with the entry before it. Run \`eaas audit verify\`.`,
  );
}
