// A moment: the heads of all tenants become a tree, the tree an entry of the log, and the log's checkpoint is signed. All of it
// commits together, with a path for each tenant that has new entries.
//
//   heads of all tenants            one moment                    the log                       witnesses
//   acme   48211  7f3a…  ─┐
//   blue      17  c02e…  ─┼─► prefix tree ─► root ─► entry ─► tiles (RFC 6962) ─► checkpoint ─► cosignatures
//   carp    9302  11d9…  ─┘        │                                 │              Ed25519        (time, signature)
//                                  ▼                                 ▼
//                          path of each tenant                inclusion path
//                          that moved                                │
//                                  └──────────── tlog-proof ◄────────┴──────── checkpoint with its cosignatures
//
// - In the tree, a tenant has one place, the SHA-256 of its id, with room for one head: it cannot have two histories. A proof shows
//   the path from there to the root: hashes, from which nobody can guess another head, because each head contains a hash that
//   only its tenant knows.
// - Before it signs a moment, the service checks each tenant's newest hash. One that it did not write itself (its MAC is wrong, and
//   no earlier moment had it) is left out for the last proven one, and raises the alarm `EaasTamperingFound`.
// - Before a server signs, it computes the root from the tiles. If the last signed checkpoint has another root, the log stops.
// - Before each moment, all witnesses are asked for the last checkpoint that they signed: a database that fails over can lose
//   a moment that a witness signed, and the service would sign another tree of the same size, a second history.
import {
  buildPrefixTree,
  momentEntry,
  parseNote,
  parseTreeHead,
  type PrefixTree,
  rootFromTiles,
  type TenantHead,
  type TreeHead,
  verifyCheckpoint,
} from '@eaas/protocol/internal-log';
import {
  databaseTime,
  isAuthenticHead,
  type Lease,
  sameBytes,
  type Service,
  type Sql,
  type Transaction,
  verifyEd25519,
} from '@eaas/server/internal';
import { appendAndSign, proofMacs, verifierOf } from './keys.ts';
import {
  currentLog,
  findProof,
  haltLog,
  headsAfter,
  insertProofs,
  type KeptHead,
  type LogRow,
  type MomentRow,
  newestMoment,
  wholeHeads,
} from './rows.ts';
import { TilesChanged, tilesOf } from './tiles.ts';

// A page or a batch takes a few milliseconds, in which the process does nothing else.
const pageSize = 1_000;
const batchSize = 250;
const longest = 60_000;
const firstTenant = '00000000-0000-0000-0000-000000000000';

/** Where the log says what happens. */
interface LogLines {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** What a process knows of the log apart from the database, which can be put back to an older state. */
export interface LogState {
  /** The newest checkpoint that this process has seen. */
  seen?: TreeHead | undefined;
  /** How many heads the tree has that was built last, and its root. */
  built?: { readonly count: number; readonly root: Uint8Array };
  /** The digests of pages whose heads the log has proved, each of them, by the tenant before the page. */
  pages?: Map<string, string>;
  /** The size that each witness signed last. */
  readonly sizes: Map<string, number>;
  /** How many requests to each witness failed. */
  readonly failures: Map<string, number>;
  /** Why a witness failed last, until it cosigns again. */
  readonly reasons: Map<string, string>;
  isHalted?: boolean;
  /** How long ago, in milliseconds, the head was not yet witnessed that is witnessed now, and when this was read. */
  age?: { readonly milliseconds: number; readonly readAt: number } | undefined;
}

export interface MomentContext {
  readonly service: Service;
  readonly log: LogLines;
  readonly memory: LogState;
  /** The seconds between two moments. */
  readonly interval: number;
}

/**
 * Makes a moment, unless the last one is too young, no head has moved since, or the log is halted. `beforehand` can halt it
 * before anything is signed.
 */
export async function makeMoment(
  context: MomentContext,
  lease: Lease,
  beforehand: () => Promise<void> = async () => {},
): Promise<void> {
  const { service, memory } = context;
  const { background } = service;
  const present = await background.run((sql) => findPresent(sql, context));
  if (!present) return;
  const { origin } = present.log;
  const { heads, moved } = await readHeads(context, present.log, lease.signal);
  const isIdle = (root: Uint8Array): boolean =>
    present.newest !== undefined && sameBytes(present.newest.root, root);
  // The tree takes most of the time, so it is not built again for the same heads.
  const { built } = memory;
  if (moved.length === 0 && built?.count === heads.length && isIdle(built.root)) return;
  const tree = await treeOf(service, heads);
  memory.built = { count: heads.length, root: tree.root };
  if (isIdle(tree.root)) {
    memory.seen ??= present.newest && headOf(present.newest);
    return;
  }
  await beforehand();
  try {
    const moment = await background.transaction(async (tx) => {
      await lease.hold(tx);
      return commitMoment(tx, context, { origin, tree, moved });
    }, longest);
    if (moment) memory.seen = headOf(moment);
  } catch (error) {
    if (!(error instanceof TilesChanged)) throw error;
    // The transaction was rolled back. If the process ends here, the next moment finds the same.
    await halt(context, origin, error.message);
  }
}

/** Stops the log: no moment follows any more. */
export async function halt({ service, log }: MomentContext, origin: string, reason: string): Promise<void> {
  const isNew = await service.background.run((sql) => haltLog(sql, origin, reason));
  if (isNew) log.error({ origin, reason }, 'the public log has stopped');
}

/** Returns the log and its newest moment, if another one is due: each worker of each replica asks every `interval`. */
async function findPresent(sql: Sql, { interval }: MomentContext, isLocked = false) {
  const log = await currentLog(sql, isLocked);
  if (log?.halted !== null) return undefined;
  const newest = await newestMoment(sql, log.origin);
  const now = await databaseTime(sql);
  // If the clock was set back, the newest moment is in the future.
  const isYoung = newest && newest.time <= now && newest.time > now - 900 * interval;
  return isYoung ? undefined : { log, newest, now };
}

/**
 * Reads the heads in pages, not all at one time: a moment says of each tenant that this was its head. Whoever can write to the
 * database can write a head, so one is taken if the log has proved it, or if its MAC is right.
 */
async function readHeads({ service, memory }: MomentContext, log: LogRow, signal: AbortSignal) {
  const { background, fair, alarms, roots } = service;
  memory.pages ??= new Map<string, string>();
  const { pages } = memory;
  const macOf = proofMacs(roots, log);
  const isProven = (head: KeptHead): boolean => sameBytes(macOf(head), head.mac);
  const heads: TenantHead[] = [];
  const moved: KeptHead[] = [];
  for (let after = firstTenant; ;) {
    signal.throwIfAborted();
    const reading = background.run((sql) => headsAfter(sql, log.origin, after, pageSize), 10_000);
    const { heads: page, digest } = await reading;
    const isKnown = pages.get(after) === digest;
    const others = new Set(isKnown ? [] : page.filter((head) => !isProven(head)));
    if (others.size === 0) pages.set(after, digest);
    heads.push(...page.filter((head) => !others.has(head)));
    const ids = Array.from(others, ({ tenantId }) => tenantId);
    const rows = ids.length > 0 ? await background.run((sql) => wholeHeads(sql, ids), 10_000) : [];
    for (const row of rows) {
      if (fair.isOver()) await fair.pause('public log');
      const { tenant_id: tenantId, id, hash } = row;
      if (isAuthenticHead(roots, row)) {
        moved.push({ tenantId, id, hash, mac: macOf({ tenantId, id, hash }) });
        continue;
      }
      alarms.tampered({ table: 'audit_heads', id: tenantId, tenantId });
      const last = await background.run((sql) => findProof(sql, tenantId));
      if (last && isProven({ tenantId, ...last })) heads.push({ tenantId, ...last });
    }
    after = page.at(-1)?.tenantId ?? after;
    if (page.length < pageSize) return { heads: [...heads, ...moved], moved };
  }
}

/** Builds the tree of heads, and lets others go first in between. */
async function treeOf({ fair }: Service, heads: readonly TenantHead[]): Promise<PrefixTree> {
  const steps = buildPrefixTree(heads);
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
    if (fair.isOver()) await fair.pause('public log');
  }
}

async function commitMoment(
  tx: Transaction,
  context: MomentContext,
  { origin, tree, moved }: { origin: string; tree: PrefixTree; moved: readonly KeptHead[] },
): Promise<MomentRow | undefined> {
  const { service, memory } = context;
  const present = await findPresent(tx, context, true);
  if (present?.log.origin !== origin) return undefined;
  const { log, newest, now } = present;
  await requireUnchanged(tx, log, newest, memory.seen);
  const time = Math.max(now, newest?.time ?? 0);
  const entry = momentEntry(time, tree.root);
  const index = newest ? newest.index + 1 : 0;
  const moment = await appendAndSign(tx, service.roots, log, { index, time, root: tree.root, entry });
  const proved = (head: KeptHead) => ({ ...head, path: Buffer.concat(tree.pathOf(head.tenantId) ?? []) });
  for (let at = 0; at < moved.length; at += batchSize) {
    await insertProofs(tx, moved.slice(at, at + batchSize).map(proved), moment);
  }
  return moment;
}

/** Requires that the tiles give the root of the last checkpoint, and that the log extends what this process has seen. */
async function requireUnchanged(
  tx: Transaction,
  log: LogRow,
  newest: MomentRow | undefined,
  seen: TreeHead | undefined,
): Promise<void> {
  const { origin } = log;
  const head = newest && (await signedHead(log, newest));
  const read = tilesOf(tx, origin);
  if (head && !sameBytes(await rootFromTiles(read, head.size), head.root)) {
    throw new TilesChanged(`the tiles have another root than the checkpoint of size ${head.size}`);
  }
  if (seen?.origin !== origin) return;
  const isThere =
    head && head.size >= seen.size && sameBytes(await rootFromTiles(read, seen.size), seen.root);
  if (!isThere) {
    throw new TilesChanged(
      `the database was put back: it has ${head?.size ?? 0} entries, which do not extend the signed checkpoint of size ${seen.size}`,
    );
  }
}

/** The head that the log signed for a moment. Throws TilesChanged if something else wrote the checkpoint. */
async function signedHead(log: LogRow, { index, note }: MomentRow): Promise<TreeHead> {
  const verified = await verifyCheckpoint(note, [verifierOf(log)], verifyEd25519).catch(() => undefined);
  if (verified?.signatures.length === 1 && verified.origin === log.origin && verified.size === index + 1) {
    return verified;
  }
  throw new TilesChanged(`the checkpoint of size ${index + 1} is not signed by the key of the log`);
}

export function headOf({ note }: MomentRow): TreeHead | undefined {
  return parseTreeHead(parseNote(note)?.text ?? '');
}
