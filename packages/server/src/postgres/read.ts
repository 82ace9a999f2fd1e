// Reads what decisions need: the head, the time, named rows and queries, in one statement, and so in one snapshot.
import type { Found, HeadRow, Known, LostLink, Need, Ref, Stored } from '@eaas/service';
import type { Sql } from './sql.ts';
import { type Asked, foundBy, type Json, rowsByName, storedRow } from './query.ts';
import { joined, part, raw, statement } from './statement.ts';
import { requireTable } from './tables.ts';

/** `lost`: links of which is asked whether they were written. */
export async function readKnown(
  sql: Sql,
  tenantId: string,
  needs: readonly Need[],
  lost: readonly LostLink[] = [],
): Promise<Known & { readonly written: LostLink | undefined }> {
  const [rows, found] = [new Map<Ref, Stored | null>(), new Map<string, Found<Stored>>()];
  let head: HeadRow | null = null;
  let written: LostLink | undefined;
  const parts: Asked[] = [
    {
      sql: part`(select row_to_json(h) from eaas.audit_heads h where tenant_id = ${tenantId} limit 1)`,
      read: (json) => (head = json === null ? null : headIn(json)),
    },
    ...Array.from(refsByTable(needs), ([name, refs]) => rowsByName(tenantId, name, refs, rows)),
    ...needs.flatMap((need) => (typeof need === 'string' ? [] : [foundBy(tenantId, need, found)])),
  ];
  if (lost.length > 0) {
    const nonces = lost.map(({ nonce }) => `\\x${Buffer.from(nonce).toString('hex')}`);
    parts.push({
      sql: part`(select min(nth) from
        unnest(${lost.map(({ firstId }) => firstId)}::bigint[], ${nonces}::bytea[]) with ordinality as link (first, named, nth)
        join eaas.audit_entries e on e.tenant_id = ${tenantId} and e.id = link.first and e.nonce = link.named)`,
      read: (json) => (written = typeof json === 'number' ? lost[json - 1] : undefined),
    });
  }
  const columns = parts.map((one, nth) => part`${one.sql} as ${raw(`part_${nth}`)}`);
  const [row] = await statement<Record<string, Json>[]>(
    sql,
    part`select eaas.now_ms() as time, ${joined(columns, ', ')}`,
  ).execute();
  for (const [nth, one] of parts.entries()) one.read(row?.[`part_${nth}`] ?? null);
  return { head, time: Number(row?.['time']), rows, found, written };
}

function refsByTable(needs: readonly Need[]): Map<string, Ref[]> {
  const refs = new Map<string, Ref[]>();
  for (const need of needs) {
    if (typeof need !== 'string') continue;
    const name = need.slice(0, need.indexOf(' '));
    const known = refs.get(name);
    if (known) known.push(need);
    else refs.set(name, [need]);
  }
  return refs;
}

const headIn = (json: Json): HeadRow =>
  storedRow(requireTable('audit_heads'), json as Readonly<Record<string, Json>>).row as HeadRow;
