// Sends links to the SQL functions that append them, and the rows of a new tenant to the one that creates it.
import type { Appended, HeadRow, Link, Run, SealedWrite } from '@eaas/service';
import { type JsonRow, storedRow } from './query.ts';
import { hex, type Sql } from './sql.ts';
import { requireTable } from './tables.ts';

// `execute` sends a statement before whatever is called next, while `await` would send it after that.

/**
 * Appends a link if the head is still the one that it expects. For what the database refuses, `fail` throws what its error means.
 * Absent: throws the error.
 */
export function appendLink(
  sql: Sql,
  tenantId: string,
  link: Link,
  fail?: (error: unknown) => never,
): Promise<Appended> {
  const { expected, next, runs, seals, writes, tallies, now } = link;
  return sql<{ appended: string }[]>`
    select eaas.append(${tenantId}, ${expected.id}, ${expected.mac}, ${next.id}, ${next.hash}, ${next.sum}, ${next.nonce},
      ${next.created_at}, ${next.month}, ${next.encrypts}, ${next.mac}, ${now},
      ${`[${runs.map(encodeRun).join(',')}]`}::text::json, ${seals},
      ${blocksIn([link])}::text::json, ${JSON.stringify(tallies)}::text::json,
      ${writes.length > 0 ? encodeWrites(writes) : null}::text::jsonb) as appended`
    .execute()
    .then(([row]) => appendedIn(row?.appended), fail);
}

/** A link, and whose it is. */
export interface TenantLink {
  readonly tenantId: string;
  readonly link: Link;
}

/**
 * Appends links of different tenants, without rows, in one statement. Returns what became of each, or undefined for those that it
 * did not write. Throws the database's error, after which none is written.
 */
export async function appendLinks(sql: Sql, all: readonly TenantLink[]): Promise<(Appended | undefined)[]> {
  let skipped = 0;
  const links = all.map(({ tenantId, link: { expected, next, seals, now } }, nth) => {
    const encoded = {
      nth,
      skipped,
      tenant: tenantId,
      expected_id: expected.id,
      expected_mac: hex(expected.mac),
      next_id: next.id,
      next_hash: hex(next.hash),
      next_sum: hex(next.sum),
      next_nonce: hex(next.nonce),
      next_created_at: next.created_at,
      next_month: next.month,
      next_encrypts: next.encrypts,
      next_mac: hex(next.mac),
      moment: now,
    };
    skipped += seals.length / 80;
    return encoded;
  });
  const runs = all.flatMap(({ link }, of) => link.runs.map((run) => encodeRun({ of, ...run })));
  const tallies = all.flatMap(({ link }, of) => link.tallies.map((tally) => ({ of, ...tally })));
  const seals = Buffer.concat(all.map(({ link }) => link.seals));
  const [row] = await sql<{ appended: string }[]>`
    select eaas.append_all(${JSON.stringify(links)}::text::json, ${`[${runs.join(',')}]`}::text::json, ${seals},
      ${blocksIn(all.map(({ link }) => link))}::text::json, ${JSON.stringify(tallies)}::text::json) as appended`;
  const { time, written, moved } = JSON.parse(row?.appended ?? '') as AppendedAll;
  const appended: (Appended | undefined)[] = all.map((_, nth) => moved[nth] && movedTo(time, moved[nth]));
  for (const nth of written) appended[nth] = { outcome: 'written', time };
  return appended;
}

interface AppendedAll {
  readonly time: number;
  readonly written: readonly number[];
  readonly moved: Readonly<Record<number, JsonRow>>;
}

const movedTo = (time: number, head: JsonRow): Appended => ({
  outcome: 'moved',
  time,
  head: storedRow(requireTable('audit_heads'), head).row as HeadRow,
});

/** The blocks that links name, or null if they name none. */
function blocksIn(links: readonly Link[]): string | null {
  const blocks = links.flatMap((link, of) => link.blocks.map((name) => ({ of, name })));
  return blocks.length > 0 ? JSON.stringify(blocks) : null;
}

function appendedIn(text: string | undefined): Appended {
  const [, outcome, time, head] = /^(\w+) (\d+)(?: (.*))?$/.exec(text ?? '') ?? [];
  if (head !== undefined) return movedTo(Number(time), JSON.parse(head) as JsonRow);
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
function encodeRun({ metadata, ...others }: Run & { readonly of?: number }): string {
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
    value instanceof Uint8Array ? hex(value) : value,
  ]);
  return Object.fromEntries(values) as object;
}
