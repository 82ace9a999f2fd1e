// The walk along the entries of a log: it judges each of them, and compares the chain with the heads that it must have.
import { InputError } from '@eaas/protocol';
import { ServiceError } from '@eaas/protocol/internal';
import { ChainWalk, type KnownFacts, LogHistory } from '@eaas/protocol/internal-log';
import type { Output } from '@eaas/protocol/wire';
import {
  type AuditEntry,
  type AuditHead,
  genesisOf,
  hashAfter,
  type HiddenEntry,
  isBareHead,
  isChained,
  isEntry,
  isHead,
  isHidden,
} from './entry.ts';
import { addFinding, type AuditFinding, mostFindings } from './findings.ts';

/** What the service says about purged entries: the answer of `audit.verify` of the client. */
export type Purged = Pick<Output<'GET /v1/audit/verify'>, 'purged_through' | 'valid' | 'errors'>;

/** A head that the chain must have, and who says so. */
export interface KnownHead extends AuditHead {
  readonly of: keyof typeof sayings;
  readonly tenantId: string;
}

/** What it means if the chain ends before a known head, or has another entry there. */
const sayings = {
  state: { gone: ['rollback', 'it was read up to'], other: ['fork', 'it was read with the hash'] },
  checkpoint: {
    gone: ['checkpoint_ahead', 'a checkpoint was signed for'],
    other: ['checkpoint_mismatch', 'the checkpoint states'],
  },
  proof: {
    gone: ['proof_mismatch', 'the public log had a head with'],
    other: ['proof_mismatch', 'the public log had a head with the hash'],
  },
} as const;

/** What a walk begins with. */
interface Begun {
  /** Undefined until the first entry, if nobody said it before. */
  tenantId: string | undefined;
  /** The entry with which the walk must begin at the latest. Infinity: with any. */
  readonly from: number;
  /** The entry that a checkpoint signs, where the walk ends. */
  readonly to?: AuditHead | undefined;
  /** What an earlier check has read, and what the log had said up to there. */
  readonly read?: (AuditHead & { readonly said: KnownFacts | undefined }) | undefined;
  readonly heads?: readonly KnownHead[];
  readonly purged?: (() => Promise<Purged>) | undefined;
  readonly findings: AuditFinding[];
  /** The number of entries of which only the digest is shown. Undefined: none can be. */
  hidden?: number | undefined;
}

/** A walk, and how far it is. */
export const newWalk = (begun: Begun) => ({
  heads: [],
  ...begun,
  chain: undefined as ChainWalk<string> | undefined,
  /** What the log has said. It begins with the chain. */
  history: new LogHistory({ since: 1 }),
  /** With which entry the walk began. */
  begun: 0,
  /** The last purged entry, if the walk begins after it. */
  start: undefined as AuditHead | undefined,
  /** What the entries say was before the first of them. */
  before: undefined as AuditHead | undefined,
  /** The number of entries whose hash was recomputed. */
  checked: 0,
  /** Whether the entries ended with an error. */
  hasFailed: false,
});

export type Walk = ReturnType<typeof newWalk>;

type Shown = AuditEntry | HiddenEntry;

/**
 * Entries from wherever they are: a client, a file, an array. A head `{ id, hash }` can come first, for the entry before a
 * part of a log: it makes the first hash checkable.
 */
type Entries = AsyncIterable<Given> | Iterable<Given>;

export type Given = Shown | AuditHead;

/** Walks up to the signed entry, or to the last one. `onEntry` gets each entry that was judged, and its place in the chain. */
export async function walkChain(
  walk: Walk,
  entries: Entries,
  onEntry: (entry: Shown, at: AuditHead) => unknown,
): Promise<void> {
  const { findings, to } = walk;
  let newest = 0;
  for await (const entry of withTenant(walk, untilFailure(walk, entries))) {
    const { id } = entry;
    if (to && id > to.id) break;
    const chain = begin(walk, entry);
    newest ||= walk.before?.id ?? 0;
    if (id > chain.next) await crossPurge(walk, chain);
    if (walk.hasFailed) break;
    if (id <= newest) addFinding(findings, 'entry_unexpected', id, `entry ${id} is repeated or out of order`);
    else if (id >= chain.next) await onEntry(entry, { id, hash: judge(walk, chain, entry) });
    newest = Math.max(newest, id);
    if (id === to?.id || findings.length >= mostFindings) break;
  }
  if (to && !walk.hasFailed) await requireEnd(walk, to);
  const { before, tenantId } = walk;
  if (before?.id === 0 && tenantId !== undefined && before.hash !== genesisOf(tenantId).hash) {
    addFinding(findings, 'entry_changed', 1, `entry 1 follows another head than the log of ${tenantId} has`);
  }
  compareEnd(walk);
}

/** Yields what are entries. The first that is shown says whose log it is. */
async function* withTenant(walk: Walk, entries: Entries): AsyncGenerator<Shown, void, undefined> {
  let newest = -1;
  for await (const entry of entries) {
    if (newest === -1 && isBareHead(entry)) {
      walk.before = entry;
      newest = entry.id;
      continue;
    }
    if (!isEntry(entry)) {
      throw new InputError(
        'the entries must be those that `audit.list` yields or `audit export` writes (got another value after entry ' +
          `${Math.max(0, newest)})`,
      );
    }
    newest = entry.id;
    if (isHidden(entry) && walk.hidden === undefined) {
      throw new InputError(`entry ${newest} is hidden: pass \`allowHidden\` to verify a part of a log`);
    }
    if (!isHidden(entry)) walk.tenantId ??= entry.tenant_id;
    yield entry;
  }
}

async function* untilFailure(walk: Walk, entries: Entries): AsyncGenerator<Given, void, undefined> {
  try {
    yield* entries;
  } catch (error) {
    endWith(walk, error);
  }
}

/** After a finding, an error of a source ends the walk, so that what was found is not lost. */
function endWith(walk: Walk, error: unknown): void {
  if (walk.findings.length === 0) throw error;
  walk.hasFailed = true;
}

function begin(walk: Walk, first?: Shown): ChainWalk<string> {
  if (walk.chain) return walk.chain;
  const { tenantId, before: given } = walk;
  const start = given ? given.id + 1 : (first?.id ?? Infinity);
  const next = Math.min(start, walk.from);
  walk.begun = given?.id === next - 1 ? given.id : next;
  const genesis = tenantId === undefined ? given : genesisOf(tenantId);
  const before = [genesis, walk.read, given].find((head) => head?.id === next - 1);
  const said = before === walk.read ? walk.read?.said : undefined;
  if (first && isHidden(first) && first.id === next && !before) {
    throw new InputError(
      `the first entry, ${next}, is hidden, and nothing says what was before it: begin with the head before it, or with an ` +
        'entry that is shown',
    );
  }
  walk.history = new LogHistory(said ?? { since: next });
  if (given) arrive(walk, given);
  walk.chain = new ChainWalk({ next, previous: before?.hash });
  return walk.chain;
}

/** Returns the hash of the entry. That of a hidden one after a gap is not known, and empty. */
function judge(walk: Walk, chain: ChainWalk<string>, entry: Shown): string {
  const { id } = entry;
  const missing = chain.skipTo(id);
  if (missing > 0) {
    reportMissing(walk.findings, id - missing, id - 1);
    walk.history.skipTo(id);
  }
  if (chain.previous !== undefined) walk.checked++;
  const hash = isHidden(entry) ? judgeHidden(walk, chain, entry) : judgeShown(walk, chain, entry);
  if (hash !== undefined) arrive(walk, { id, hash });
  return hash ?? '';
}

function judgeHidden(walk: Walk, chain: ChainWalk<string>, { id, digest }: HiddenEntry): string | undefined {
  walk.hidden = (walk.hidden ?? 0) + 1;
  // Nobody knows what it ended. Of several in a row, the first has all forgotten.
  if (walk.history.since === id) walk.history.since++;
  else walk.history.skipTo(id + 1);
  const hash = chain.previous === undefined ? undefined : hashAfter(chain.previous, digest);
  chain.step({ id, hash }, () => true);
  return hash;
}

function judgeShown(walk: Walk, chain: ChainWalk<string>, entry: AuditEntry): string {
  const { findings, tenantId } = walk;
  const { id, hash } = entry;
  const time = Date.parse(entry.created_at) || 0;
  const found = chain.step({ id, hash, time }, (previous) => isChained(previous, entry));
  const isAltered = entry.tenant_id !== tenantId || found.isAltered;
  const contradiction = isAltered ? undefined : walk.history.step(entry);
  if (contradiction !== undefined) addFinding(findings, 'contradiction', id, contradiction);
  // It can be of another log, about which nothing is known.
  if (isAltered) walk.history = new LogHistory({ since: id + 1 });
  const text = `the hash of entry ${id} does not match its content and the hash of the previous entry`;
  if (isAltered) addFinding(findings, 'entry_changed', id, text);
  if (found.wentBack) {
    addFinding(findings, 'time_went_back', id, `entry ${id} is older than the one before it`);
  }
  return hash;
}

function reportMissing(findings: AuditFinding[], first: number, last: number): void {
  const gap = first === last ? `entry ${first} is` : `entries ${first} to ${last} are`;
  addFinding(findings, 'entry_missing', first, `${gap} missing`);
}

/** Compares an entry of the chain with the heads that are known of it. What another log said up to there is not known of this. */
function arrive(walk: Walk, at: AuditHead): void {
  const { heads, tenantId, findings, read, begun } = walk;
  if (read?.id === at.id && read.hash === at.hash && read.said && begun > 1) {
    walk.history = new LogHistory(read.said);
  }
  for (const { of, ...head } of heads) {
    if (head.id !== at.id || head.tenantId !== tenantId || head.hash === at.hash) continue;
    const [code, says] = sayings[of].other;
    addFinding(findings, code, at.id, `entry ${at.id} has the hash ${at.hash}, but ${says} ${head.hash}`);
  }
}

async function requireEnd(walk: Walk, to: AuditHead): Promise<void> {
  if (walk.findings.length >= mostFindings) return;
  const chain = begin(walk);
  if (chain.next <= to.id) await crossPurge(walk, chain);
  if (chain.next <= to.id && !walk.hasFailed) reportMissing(walk.findings, chain.next, to.id);
}

/** Reports the known heads that the log does not reach. */
function compareEnd({ to, chain, hasFailed, heads, tenantId, findings }: Walk): void {
  const end = to?.id ?? (hasFailed || !chain ? Infinity : chain.next - 1);
  for (const { of, id, ...head } of heads) {
    if (id <= end || head.tenantId !== tenantId) continue;
    const [code, says] = sayings[of].gone;
    const at = code === 'rollback' ? end : id;
    addFinding(findings, code, at, `the log ends at entry ${end}, but ${says} entry ${id}`);
  }
}

/** Goes on after the entries that the service says were purged, if they are those that come next. */
async function crossPurge(walk: Walk, chain: ChainWalk<string>): Promise<void> {
  const { to, read, findings, purged } = walk;
  const answer = await purged?.().catch((error: unknown) => endWith(walk, error));
  if (!answer) return;
  const { purged_through: anchor, valid, errors } = answer;
  // Without the hash of the last purged entry, any entry would be accepted as the next one of the chain.
  if ((anchor && !isHead(anchor)) || !Array.isArray(errors)) {
    throw new ServiceError(
      'invalid_response',
      'the service must say which entry was purged last, with its hash (got another response): ask its operator for the reason',
    );
  }
  if (valid === false) {
    const reasons = errors.map(({ id, reason }) => (id === null ? reason : `${reason} (${id})`)).join(', ');
    const text = `the verification by the service failed: ${reasons}`;
    addFinding(findings, 'service_verification_failed', errors[0]?.id ?? null, text);
  }
  const last = chain.next - 1;
  if (!anchor || anchor.id <= last) return;
  const { id, hash } = anchor;
  const known = read?.id ?? 0;
  if (id > known) {
    walk.start = { id, hash };
    const text = `entries ${Math.max(last, known) + 1} to ${id} were purged before they were read`;
    if (read || (to && id > to.id)) addFinding(findings, 'purged_unread', id, text);
  }
  chain.skipTo(id + 1);
  chain.previous = hash;
  walk.history.skipTo(id + 1);
  arrive(walk, { id, hash });
}
