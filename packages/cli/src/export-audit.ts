import { findEnds, readEntries, Refusal, type Service, shownEntry, Tampered } from '@eaas/server/internal';

const pageSize = 1_000;

export async function* exportAudit(service: Service, tenantId: string, fromId: number) {
  const { head, anchor } = await findEnds(service, tenantId);
  if (!head) throw new Tampered('audit_heads', tenantId, tenantId);
  let next = Math.max(fromId, (anchor?.id ?? 0) + 1);
  while (next <= head.id) {
    const rows = await readEntries(
      service,
      tenantId,
      [
        ['id', '>=', next],
        ['id', '<=', head.id],
      ],
      { limit: pageSize },
    );
    for (const row of rows) if (row.id !== next++) throw gap(next - 1);
    if (rows.length === 0) throw gap(next);
    yield { entries: rows.map((row) => shownEntry(tenantId, row)), last: head.id };
  }
}

export async function requireContinuable(
  service: Service,
  tenantId: string,
  last: Pick<ReturnType<typeof shownEntry>, 'tenant_id' | 'id' | 'hash'>,
): Promise<void> {
  const { anchor } = await findEnds(service, tenantId);
  const [stored] = await readEntries(service, tenantId, [['id', '=', last.id]], { limit: 1 });
  const known = anchor?.id === last.id ? anchor : stored;
  if (known && last.tenant_id === tenantId && Buffer.from(known.hash).toString('hex') === last.hash) return;
  const purged = anchor && anchor.id > last.id && last.tenant_id === tenantId;
  throw new Refusal(
    'conflict',
    purged
      ? `The file ends with entry ${last.id}, and entries up to ${anchor.id} were purged since then: export to a new file.`
      : `The file ends with entry ${last.id}, which is not in the log of this tenant (was a backup restored?): export to a new file.`,
  );
}

function gap(id: number): Refusal {
  return new Refusal(
    'conflict',
    `Audit entry ${id} is missing, so the export ends with the entry before it. Run \`eaas audit verify\`.`,
  );
}
