// Sends a link to the SQL function that appends it, and the rows of a new tenant to the one that creates it.
import type { Appended, HeadRow, Link, Run, SealedWrite } from '@eaas/service';
import type { Sql } from './sql.ts';

// `execute` sends a statement before whatever is called next, while `await` would send it after that.

/** Appends a link if the head is still the one that it expects. Throws the database's error for what it refuses. */
export function appendLink(sql: Sql, tenantId: string, link: Link): Promise<Appended> {
  const { expected, next, runs, seals, blocks, writes, tallies, now } = link;
  return sql<{ appended: string }[]>`
    select eaas.append(${tenantId}, ${expected.id}, ${expected.mac}, ${next.id}, ${next.hash}, ${next.sum}, ${next.nonce},
      ${next.created_at}, ${next.month}, ${next.encrypts}, ${next.mac}, ${now},
      ${`[${runs.map(encodeRun).join(',')}]`}::text::json, ${seals},
      ${blocks.length > 0 ? JSON.stringify(blocks) : null}::text::json, ${JSON.stringify(tallies)}::text::json,
      ${writes.length > 0 ? encodeWrites(writes) : null}::text::jsonb) as appended`
    .execute()
    .then(([row]) => appendedIn(row?.appended));
}

function appendedIn(text: string | undefined): Appended {
  const [outcome, time] = text?.split(' ') ?? [];
  if (outcome !== 'written' && outcome !== 'moved' && outcome !== 'clock') {
    throw new Error(`the SQL function eaas.append must return "written", "moved" or "clock" (got "${text}")`);
  }
  return { outcome, time: Number(time) };
}

/** Writes the head and the first rows of a tenant. Throws the database's error if it exists. */
export async function createTenant(sql: Sql, head: HeadRow, writes: readonly SealedWrite[]): Promise<void> {
  await sql`select eaas.create_tenant(${head.tenant_id}, ${head.id}, ${head.hash}, ${head.sum}, ${head.nonce},
    ${head.created_at}, ${head.month}, ${head.encrypts}, ${head.mac}, ${encodeWrites(writes)}::text::jsonb)`;
}

/**
 * Encodes consecutive entries that differ only in their ids. Returns JSON text, because a list of values would cost more
 * CPU time: the driver escapes each of its values.
 */
function encodeRun({ metadata, ...others }: Run): string {
  // The metadata is already JSON and is inserted unchanged, because its encoding as a JSON string would escape all
  // quotes.
  return `${JSON.stringify(others).slice(0, -1)},"metadata":${metadata}}`;
}

/** Encodes rows by their tables, with the records of their changes. */
function encodeWrites(writes: readonly SealedWrite[]): string {
  const rows: Record<string, object[]> = {};
  for (const { table, row, record } of writes) {
    (rows[table.name] ??= []).push(encodeRow(row));
    if (record) (rows['row_records'] ??= []).push(record);
  }
  return JSON.stringify(rows);
}

function encodeRow(row: object): object {
  const values = Object.entries(row).map(([name, value]: [string, unknown]) => [
    name,
    value instanceof Uint8Array ? `\\x${Buffer.from(value).toString('hex')}` : value,
  ]);
  return Object.fromEntries(values) as object;
}
