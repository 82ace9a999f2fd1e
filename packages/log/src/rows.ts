// The rows of the public log. What never changes in them, the database itself guards.
import { createHash } from 'node:crypto';
import type { TenantHead } from '@eaas/protocol/internal-log';
import type { SealedHead, Sql, Transaction } from '@eaas/server/internal';

/** A log and its key. */
export interface LogRow {
  readonly origin: string;
  readonly public_key: Uint8Array<ArrayBuffer>;
  readonly root_id: Uint8Array;
  readonly sealed: Uint8Array;
  readonly created_at: number;
  /** When another log began in its place. */
  readonly ended_at: number | null;
  /** Why no moment follows any more. */
  readonly halted: string | null;
}

/** The checkpoint of a moment. It has the size `index` + 1. */
export interface MomentRow {
  readonly origin: string;
  readonly index: number;
  readonly time: number;
  /** The root of the tree of heads, empty for the entry of a restart. */
  readonly root: Uint8Array;
  readonly note: string;
  /** Whether the cosignatures met the quorum when they were added. */
  readonly witnessed: boolean;
}

/** What proves that a moment has a head. */
export interface ProofRow {
  readonly tenant_id: string;
  readonly id: number;
  readonly hash: Uint8Array;
  readonly mac: Uint8Array;
  readonly origin: string;
  readonly index: number;
  readonly time: number;
  /** The hashes from the leaf up, 32 bytes each. */
  readonly path: Uint8Array;
}

const first = async <Row>(rows: PromiseLike<readonly Row[]>): Promise<Row | undefined> => (await rows)[0];

/** The log that goes on. With `isLocked`, nothing is added to it until the transaction ends. */
export function currentLog(sql: Sql, isLocked = false): Promise<LogRow | undefined> {
  return first(
    sql<LogRow[]>`select * from eaas.log_keys where ended_at is null ${isLocked ? sql`for update` : sql``}`,
  );
}

export function findLog(sql: Sql, origin: string): Promise<LogRow | undefined> {
  return first(sql<LogRow[]>`select * from eaas.log_keys where origin = ${origin}`);
}

/** All logs, the ended ones too. */
export async function listLogs(sql: Sql): Promise<LogRow[]> {
  return sql<LogRow[]>`select * from eaas.log_keys`;
}

export async function insertLog(tx: Transaction, row: LogRow): Promise<void> {
  await tx`insert into eaas.log_keys ${tx({ ...row })}`;
}

export async function endLog(tx: Transaction, { origin }: LogRow): Promise<void> {
  await tx`update eaas.log_keys set ended_at = eaas.now_ms() where origin = ${origin}`;
}

/** Returns whether the log went on until now. */
export async function haltLog(sql: Sql, origin: string, reason: string): Promise<boolean> {
  const { count } = await sql`
    update eaas.log_keys set halted = ${reason} where origin = ${origin} and halted is null`;
  return count > 0;
}

export async function logsSealedUnder(tx: Transaction, rootId: Uint8Array): Promise<LogRow[]> {
  return tx<LogRow[]>`select * from eaas.log_keys where root_id = ${rootId} for update`;
}

export async function updateSealed(tx: Transaction, { origin, root_id, sealed }: LogRow): Promise<void> {
  await tx`update eaas.log_keys set root_id = ${root_id}, sealed = ${sealed} where origin = ${origin}`;
}

export function newestMoment(sql: Sql, origin: string): Promise<MomentRow | undefined> {
  return first(sql<MomentRow[]>`
    select * from eaas.log_moments where origin = ${origin} order by index desc limit 1`);
}

export function momentAt(sql: Sql, origin: string, index: number): Promise<MomentRow | undefined> {
  return first(sql<MomentRow[]>`
    select * from eaas.log_moments where origin = ${origin} and index = ${index}`);
}

/** The first moment from `index` on that enough witnesses signed; by default the last one. */
export function witnessedMoment(sql: Sql, origin: string, index?: number): Promise<MomentRow | undefined> {
  return first(sql<MomentRow[]>`
    select * from eaas.log_moments where origin = ${origin} and witnessed
      ${index === undefined ? sql`order by index desc` : sql`and index >= ${index} order by index`} limit 1`);
}

export async function insertMoment(tx: Transaction, row: MomentRow): Promise<void> {
  await tx`insert into eaas.log_moments ${tx({ ...row })}`;
}

export async function updateNote(tx: Transaction, { origin, index, note, witnessed }: MomentRow) {
  await tx`update eaas.log_moments set note = ${note}, witnessed = ${witnessed}
    where origin = ${origin} and index = ${index}`;
}

/** The id of a tenant's head, and what the log keeps of it. Without a proof, the hash and the MAC are zeros. */
export interface KeptHead extends TenantHead {
  /** The MAC of the log: something that is not the service can write rows, and not this. */
  readonly mac: Uint8Array;
}

/** Reads heads by ascending tenant. A page is one row, because the driver takes longer for many small ones. */
export async function headsAfter(sql: Sql, origin: string, after: string, limit: number) {
  const [row] = await sql<{ tenants: string[]; ids: number[]; bytes: Uint8Array }[]>`
    select coalesce(json_agg(tenant_id order by tenant_id), '[]') as tenants,
      coalesce(json_agg(id order by tenant_id), '[]') as ids,
      coalesce(string_agg(bytes, '' order by tenant_id), '') as bytes
    from (select h.tenant_id, h.id,
        case when length(p.hash) = 32 and length(p.mac) = 32 then p.hash || p.mac else ${Buffer.alloc(64)} end as bytes
      from eaas.audit_heads h left join eaas.log_proofs p
        on p.tenant_id = h.tenant_id and p.id = h.id and p.hash = h.hash and p.origin = ${origin}
      where h.tenant_id > ${after} order by h.tenant_id limit ${limit}) page`;
  const { tenants = [], ids = [], bytes = Buffer.alloc(0) } = row ?? {};
  const part = (nth: number): Uint8Array => bytes.subarray(32 * nth, 32 * nth + 32);
  const heads = tenants.map((tenantId, at): KeptHead => {
    const hash = part(2 * at);
    const mac = part(2 * at + 1);
    return { tenantId, id: ids[at] ?? 0, hash, mac };
  });
  const digest = createHash('sha256').update(`${tenants.join()} ${ids.join()} `).update(bytes);
  return { heads, digest: digest.digest('hex') };
}

/** Reads the whole rows of heads, with what their MACs need. */
export async function wholeHeads(sql: Sql, tenants: readonly string[]): Promise<SealedHead[]> {
  return sql<SealedHead[]>`
    select h.*, root_id, sealed_secret from eaas.audit_heads h join eaas.tenants using (tenant_id)
    where h.tenant_id = any(${tenants}::uuid[])`;
}

/** What a moment keeps for a head. The path has the hashes from the leaf up, 32 bytes each. */
export type NewProof = KeptHead & { readonly path: Uint8Array };

/** Writes proofs. Hashes with MACs and paths are two values, because the driver escapes each value of a list. */
export async function insertProofs(
  tx: Transaction,
  rows: readonly NewProof[],
  { origin, index, time }: MomentRow,
): Promise<void> {
  const ends: number[] = [];
  for (const { path } of rows) ends.push((ends.at(-1) ?? 0) + path.length);
  await tx`
    insert into eaas.log_proofs (tenant_id, id, hash, mac, origin, index, time, path)
    select tenant_id, id, substr(hashes, 64 * number::int - 63, 32), substr(hashes, 64 * number::int - 31, 32),
      ${origin}, ${index}, ${time}, substr(paths, (path_end - length + 1)::int, length::int)
    from (select ${Buffer.concat(rows.flatMap(({ hash, mac }) => [hash, mac]))}::bytea as hashes,
        ${Buffer.concat(rows.map(({ path }) => path))}::bytea as paths) as bytes,
      unnest(${rows.map((row) => row.tenantId)}::uuid[], ${rows.map((row) => row.id)}::bigint[],
        ${ends}::bigint[], ${rows.map(({ path }) => path.length)}::bigint[])
        with ordinality as moved (tenant_id, id, path_end, length, number)
    on conflict do nothing`;
}

/**
 * The proof of the first head at or after the entry, or of the newest. Where two logs prove the same head, that of the later
 * log.
 */
export function findProof(sql: Sql, tenantId: string, id?: number): Promise<ProofRow | undefined> {
  return first(sql<ProofRow[]>`
    select * from eaas.log_proofs where tenant_id = ${tenantId}
      ${id === undefined ? sql`order by id desc` : sql`and id >= ${id} order by id`}, time desc limit 1`);
}

/** The first entry after another one that the chain has with another hash than a proof of the log, or not at all. */
export async function findContradicted(sql: Sql, tenantId: string, after: number) {
  const [row] = await sql<{ id: number | null }[]>`
    select min(p.id) as id from eaas.log_proofs p
      left join eaas.audit_entries e on e.tenant_id = p.tenant_id and e.id = p.id
    where p.tenant_id = ${tenantId} and p.id > ${after} and e.hash is distinct from p.hash`;
  return row?.id ?? undefined;
}
