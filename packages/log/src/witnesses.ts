// Asks the witnesses of the policy to cosign our newest checkpoint, as C2SP's tlog-witness says. Whatever they respond, only
// lines that verify under a key of the policy are kept, and only our own signature on a tree that our log does not extend can halt
// the log: then our database has lost entries, or somebody else signs with our key. A slow, absent or lying witness raises an alarm.
import { isUtf8 } from 'node:buffer';
import { createHash } from 'node:crypto';
import { toBase64 } from '@eaas/protocol/internal-base64';
import {
  consistencyProof,
  formatSignature,
  LogProofError,
  type NoteKey,
  parseNote,
  type PolicyWitness,
  rootFromTiles,
  type TreeHead,
  type VerifiedCheckpoint,
  verifyCheckpoint,
} from '@eaas/protocol/internal-log';
import {
  askHost,
  hostOf,
  HostFailed,
  inTime,
  isLoopback,
  sameBytes,
  timeLimit,
  verifyEd25519,
} from '@eaas/server/internal';
import type { Signed, WitnessContext } from './witness-context.ts';

/** What is wrong with the URL of a witness or of its monitors, for the start of the server. Undefined if nothing is. */
export function faultOfWitnessUrl(text: string): string | undefined {
  if (!URL.canParse(text)) return 'is not a URL';
  const url = new URL(text);
  const isPlain = url.protocol === 'http:' && isLoopback(hostOf(url));
  if (url.protocol !== 'https:' && !isPlain) {
    return 'must begin with https: http is only for a loopback address';
  }
  const isBare = url.search === '' && url.hash === '' && url.username === '' && url.password === '';
  return isBare ? undefined : 'must have no query, fragment or user name';
}

/** A witness that has a URL. */
type Asked = PolicyWitness & { readonly url: string };

/**
 * Asks the witnesses about the newest checkpoint, side by side: those that have not cosigned it, and those that have not told
 * this process so, because they may know more entries than a database that was put back. Before a moment all are asked: what
 * was lost can be a moment that another replica made after this process last asked. Failures of witnesses are counted and
 * logged, so this throws only what the database throws.
 */
export async function askWitnesses(
  context: WitnessContext,
  which: 'missing' | 'all' = 'missing',
): Promise<void> {
  const { memory, policy } = context;
  const newest = await context.newest();
  if (!newest) return;
  const isDone = ({ name, key }: PolicyWitness): boolean =>
    which === 'missing' && hasSigned(newest, key) && memory.sizes.get(name) === newest.size;
  const missing = policy.witnesses.filter(
    (witness): witness is Asked => witness.url !== undefined && !isDone(witness),
  );
  const rounds = await Promise.allSettled(missing.map((witness) => ask(context, witness, newest)));
  const lines = rounds.flatMap((round) => (round.status === 'fulfilled' ? (round.value ?? []) : []));
  if (lines.length > 0) await context.cosigned(newest.size, lines);
  for (const round of rounds) if (round.status === 'rejected') throw round.reason;
}

function hasSigned({ note }: Signed, key: NoteKey): boolean {
  return (parseNote(note)?.signatures ?? []).some((signature) => isOf(key, signature));
}

const isOf = (key: NoteKey, { name, keyId }: Pick<NoteKey, 'name' | 'keyId'>): boolean =>
  key.name === name && key.keyId === keyId;

/** What a witness says that can mean another tree than ours. `size` is how many entries it says it has cosigned. */
interface Claim {
  readonly says: string;
  readonly size?: number;
}

/** Asks one witness. Returns the line of its cosignature, if the note has none yet. */
async function ask(context: WitnessContext, witness: Asked, newest: Signed): Promise<string | undefined> {
  const { memory, log, signal } = context;
  try {
    const response = await withPatience(signal, (ending) => submit(context, witness, newest, ending));
    if (typeof response !== 'string') return await investigate(context, witness, newest, response);
    const line = await cosignatureIn(response, newest, witness.key);
    if (line === undefined) throw new HostFailed('it sent no valid cosignature of its key');
    memory.sizes.set(witness.name, newest.size);
    if (memory.reasons.delete(witness.name)) log.info({ witness: witness.name }, 'a witness cosigns again');
    return hasSigned(newest, witness.key) ? undefined : line;
  } catch (error) {
    if (!(error instanceof HostFailed)) throw error;
    if (!signal.aborted) report(context, witness, error.message);
    return undefined;
  }
}

/** The longest time for all that one witness is asked in a round, in milliseconds. */
const patience = 5_000;

function withPatience<T>(stopping: AbortSignal, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const limit = timeLimit(patience);
  return inTime(limit, `it did not respond within ${limit / 1_000} s`, work, stopping);
}

async function exchange(url: URL, signal: AbortSignal, body?: string) {
  const post = { method: 'POST', headers: { 'content-type': 'text/plain; charset=utf-8' } };
  const options = { ...(body !== undefined && post), who: 'it', signal };
  const { status, bytes } = await askHost(url, options, body);
  if (!isUtf8(bytes)) throw new HostFailed('it sent bytes that are no text');
  return { status, text: bytes.toString() };
}

/** Counts a failure. Logs it if the reason is new, and then about once an hour. */
function report({ memory, log }: WitnessContext, { name }: Asked, reason: string): void {
  const failures = (memory.failures.get(name) ?? 0) + 1;
  memory.failures.set(name, failures);
  if (memory.reasons.get(name) === reason && failures % 60 !== 0) return;
  memory.reasons.set(name, reason);
  log.warn({ witness: name, reason }, 'a witness did not cosign the newest checkpoint of the public log');
}

/** Returns the signature lines that the witness sends, or what it claims. */
async function submit(
  context: WitnessContext,
  witness: Asked,
  newest: Signed,
  signal: AbortSignal,
): Promise<string | Claim> {
  const known = context.memory.sizes.get(witness.name) ?? 0;
  // If the database has lost entries, the witness knows more than we have. With 0, it says how much.
  let old = hasSigned(newest, witness.key) ? newest.size : known > newest.size ? 0 : known;
  for (let tries = 0; tries < 2; tries++) {
    const hashes = old > 0 ? await consistencyProof(context.tiles, old, newest.size) : [];
    const lines = [`old ${old}`, ...hashes.map(toBase64), '', ownNote(newest.note, context.key)];
    const { status, text } = await exchange(urlIn(witness.url, 'add-checkpoint'), signal, lines.join('\n'));
    if (status === 200) return text;
    if (status === 422) return { says: 'it refuses our newest tree (status 422)' };
    if (status !== 409) throw new HostFailed(`it responded with the status ${status}`);
    const [, size] = /^(0|[1-9]\d{0,14})\n?$/.exec(text) ?? [];
    if (size === undefined) throw new HostFailed('it responded with the status 409 and no size');
    old = Number(size);
    if (old > newest.size) {
      return { says: 'it claims to have cosigned more entries than the log has', size: old };
    }
  }
  throw new HostFailed('it responded twice with the status 409');
}

const urlIn = (prefix: string, path: string): URL => new URL(`${prefix.replace(/\/+$/, '')}/${path}`);

/** The note without the cosignatures: witnesses accept only short requests. */
function ownNote(note: string, key: NoteKey): string {
  const { text = '', signatures = [] } = parseNote(note) ?? {};
  const own = signatures.filter((one) => isOf(key, one));
  return `${text}\n${own.map(formatSignature).join('')}`;
}

/**
 * Returns the key's cosignature of our checkpoint in a response. Lines of other keys are ignored, even if they are valid: with
 * two signatures of one key a note is worthless.
 */
async function cosignatureIn(response: string, { note }: Signed, key: NoteKey): Promise<string | undefined> {
  const { text = '' } = parseNote(note) ?? {};
  const { signatures = [] } = parseNote(`${text}\n${response}`) ?? {};
  const own = signatures.find((signature) => isOf(key, signature));
  const line = own && formatSignature(own);
  const checkpoint = line && (await verified(`${text}\n${line}`, key));
  return checkpoint && checkpoint.signatures[0]?.time ? line : undefined;
}

/** Parses a checkpoint, and verifies the signature of the key, if it has one. Returns undefined if one of both fails. */
async function verified(note: string, key: NoteKey): Promise<VerifiedCheckpoint | undefined> {
  try {
    return await verifyCheckpoint(note, [key], verifyEd25519);
  } catch (error) {
    if (error instanceof LogProofError) return undefined;
    throw error;
  }
}

/**
 * Halts the log if the witness shows a checkpoint with our signature that our log does not extend. Without it a claim
 * means nothing, because anybody can make one. Throws HostFailed.
 */
async function investigate(
  context: WitnessContext,
  witness: Asked,
  asked: Signed,
  { says, size = 0 }: Claim,
): Promise<undefined> {
  const grown = await context.newest({ locked: true });
  // Another replica has made a moment meanwhile, and asked this witness.
  if (!grown || (grown.size > asked.size && grown.size >= size)) return undefined;
  const shown = await withPatience(context.signal, (signal) => shownBy(context, witness, signal));
  if (!shown) throw new HostFailed(`${says}, but shows no checkpoint with our signature`);
  // Compared after the witness was asked, so that no moment of another replica can look like a contradiction.
  const instead = await insteadOf(context, shown);
  if (instead === undefined) {
    throw new HostFailed(`${says}, but the checkpoint that it shows belongs to our log`);
  }
  await context.halt(
    `the witness ${JSON.stringify(witness.name)} shows a checkpoint of ${shown.size} entries with the signature of this log, ` +
      `which ${instead}\n\n${shown.note}`,
  );
  return undefined;
}

/** Returns what our log has instead of a checkpoint with our signature, or undefined if it extends the checkpoint. */
async function insteadOf(
  context: WitnessContext,
  { size, root }: Pick<TreeHead, 'size' | 'root'>,
): Promise<string | undefined> {
  const now = await context.newest({ locked: true });
  if (!now || now.size < size) return `now has ${now?.size ?? 0}`;
  return sameBytes(await rootFromTiles(context.tiles, size), root) ? undefined : 'now has other ones';
}

/** Returns what the witness shows to monitors, if our signature on it is valid, without other signatures. */
async function shownBy({ key, monitors }: WitnessContext, { name, url }: Asked, signal: AbortSignal) {
  const path = `${createHash('sha256').update(key.name).digest('hex')}/checkpoint`;
  const { status, text } = await exchange(urlIn(monitors.get(name) ?? url, path), signal);
  const checkpoint = status === 200 ? await verified(text, key) : undefined;
  const [own] = checkpoint?.signatures ?? [];
  if (!checkpoint || !own || checkpoint.origin !== key.name) return undefined;
  return { ...checkpoint, note: `${checkpoint.text}\n${own.line}` };
}
