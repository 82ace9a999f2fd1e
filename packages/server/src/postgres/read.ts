// Reads what decisions need: the head, the time, named rows and queries, in one statement, and so in one snapshot.
import * as core from '@eaas/service';
import { hex, type Sql } from './sql.ts';
import { type Asked, foundBy, type Json, rowsByName } from './query.ts';
import { joined, part, raw, statement } from './statement.ts';

/** `lost`: links of which is asked whether they were written. */
export async function readKnown(
  sql: Sql,
  tenantId: string,
  needs: readonly core.Need[],
  lost: readonly core.Link[] = [],
): Promise<core.Known> {
  const rows = new Map<core.Ref, core.Stored | null>();
  const found = new Map<string, core.Found<core.Stored>>();
  const end = core.refTo(core.heads, tenantId);
  let written: core.Link | undefined;
  const parts: Asked[] = [
    ...Array.from(refsByTable([end, ...needs]), ([name, refs]) => rowsByName(tenantId, name, refs, rows)),
    ...needs.flatMap((need) => (typeof need === 'string' ? [] : [foundBy(tenantId, need, found)])),
  ];
  if (lost.length > 0) {
    const nonces = lost.map(({ next }) => hex(next.nonce));
    parts.push({
      sql: part`(select min(nth) from
        unnest(${lost.map(({ expected }) => expected.id + 1)}::bigint[], ${nonces}::bytea[]) with ordinality as link (first, named, nth)
        join eaas.audit_entries e on e.tenant_id = ${tenantId} and e.id = link.first and e.nonce = link.named)`,
      read: (json) => {
        written = typeof json === 'number' ? lost[json - 1] : undefined;
      },
    });
  }
  const columns = parts.map((one, nth) => part`${one.sql} as ${raw(`part_${nth}`)}`);
  const [row] = await statement<Record<string, Json>[]>(
    sql,
    part`select eaas.now_ms() as time, ${joined(columns, ', ')}`,
  ).execute();
  for (const [nth, one] of parts.entries()) one.read(row?.[`part_${nth}`] ?? null);
  const head = (rows.get(end)?.row ?? null) as core.HeadRow | null;
  rows.delete(end);
  return { head, time: Number(row?.['time']), rows, found, written };
}

function refsByTable(needs: readonly core.Need[]): Map<string, core.Ref[]> {
  const refs = new Map<string, core.Ref[]>();
  for (const need of needs) {
    if (typeof need !== 'string') continue;
    const name = need.slice(0, need.indexOf(' '));
    const known = refs.get(name);
    if (known) known.push(need);
    else refs.set(name, [need]);
  }
  return refs;
}
