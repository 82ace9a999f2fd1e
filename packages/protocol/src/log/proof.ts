// A proof says: this was the head of this tenant, in a moment that the log has, and witnesses saw that log.
import { readBase64, toBase64 } from '../base64.ts';
import { attempt, fromHex, toHex } from '../bytes.ts';
import { canonicalJson } from '../canonical-json.ts';
import { InputError } from '../errors.ts';
import { fromUtf8, toUtf8 } from '../text.ts';
import { parseUuid } from '../uuid.ts';
import { entryLeaf, verifyInclusion } from './log-tree.ts';
import { longestPath, rootFromPath, type TenantHead } from './prefix-tree.ts';
import { type LogPolicy, quorumTime } from './policy.ts';
import { LogProofError, verifyCheckpoint, type VerifyEd25519 } from './tlog.ts';

/** What a proof carries about a moment beside the log's own proof. `time` is milliseconds since 1970. */
export interface ProvenMoment extends TenantHead {
  readonly time: number;
  readonly path: readonly Uint8Array[];
}

/** Returns the entry of a moment in the log. `time` is milliseconds since 1970. */
export function momentEntry(time: number, root: Uint8Array): Uint8Array<ArrayBuffer> {
  return toUtf8(`eaas.moment.v1\n${time}\n${toBase64(root)}\n`);
}

/** Returns the first entry of a log that another log ended for. */
export function restartEntry(checkpoint: string): Uint8Array<ArrayBuffer> {
  return toUtf8(`eaas.restart.v1\n${toBase64(toUtf8(checkpoint))}\n`);
}

/** Returns the `extra` of a proof. */
export function formatExtra({ tenantId, id, hash, path, time }: ProvenMoment): Uint8Array<ArrayBuffer> {
  return toUtf8(
    canonicalJson({ hash: toHex(hash), id, path: path.map(toBase64), tenant_id: tenantId, time }),
  );
}

/** Parses the `extra` of a proof, or returns undefined unless it is written as `formatExtra` does. */
export function parseExtra(extra: Uint8Array): ProvenMoment | undefined {
  return attempt(() => {
    const text = fromUtf8(extra);
    const { hash, id, path, tenant_id: tenantId, time } = JSON.parse(text) as Record<string, unknown>;
    if (typeof tenantId !== 'string' || parseUuid(tenantId) !== tenantId || !isCount(id)) return undefined;
    if (!isCount(time) || time > latestTime) return undefined;
    if (typeof hash !== 'string' || hash.length !== 64 || !Array.isArray(path) || path.length > longestPath) {
      return undefined;
    }
    const siblings = path.flatMap((sibling) => readBase64(String(sibling)) ?? []);
    const moment = { tenantId, id, hash: fromHex(hash), path: siblings, time };
    const isCanonical = fromUtf8(formatExtra(moment)) === text;
    return isCanonical && siblings.every(({ length }) => length === 32) ? moment : undefined;
  });
}

const latestTime = 8_640_000_000_000_000; // of a Date

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0;

/** The proof that a log has an entry (https://c2sp.org/tlog-proof). */
export interface TlogProof {
  readonly extra: Uint8Array | undefined;
  readonly index: number;
  readonly path: readonly Uint8Array[];
  /** The note, with its signatures. */
  readonly checkpoint: string;
}

/** Writes a proof as text. */
export function formatTlogProof({ extra, index, path, checkpoint }: TlogProof): string {
  const lines = ['c2sp.org/tlog-proof@v1', ...(extra ? [`extra ${toBase64(extra)}`] : []), `index ${index}`];
  return `${[...lines, ...path.map(toBase64)].join('\n')}\n\n${checkpoint}`;
}

/** Parses a proof, or returns undefined if the text is none. Only one text has one content. Verifies nothing. */
export function parseTlogProof(text: string): TlogProof | undefined {
  const [, encoded, index, hashes = '', checkpoint = ''] =
    /^c2sp\.org\/tlog-proof@v1\n(?:extra (.*)\n)?index (0|[1-9]\d*)\n((?:.+\n){0,63})\n([^]+)$/.exec(text) ??
    [];
  const extra = encoded === undefined ? undefined : readBase64(encoded);
  const path = hashes
    .split('\n')
    .slice(0, -1)
    .flatMap((hash) => readBase64(hash) ?? []);
  const isCanonical = text === formatTlogProof({ extra, index: Number(index), path, checkpoint });
  const hasHashes = path.every((hash) => hash.length === 32);
  return isCanonical && hasHashes && Number.isSafeInteger(Number(index))
    ? { extra, index: Number(index), path, checkpoint }
    : undefined;
}

/** What a valid proof shows. */
export interface VerifiedProof {
  readonly tenantId: string;
  /** The id of the audit entry that was the tenant's newest. */
  readonly id: number;
  /** The hash of that entry, in hex. */
  readonly hash: string;
  /** Since then at the latest, the head exists: enough witnesses said so by this time. */
  readonly before: Date;
  /** The time that the operator of the service wrote into the log. Nobody else confirms it. */
  readonly claimedTime: Date;
  /** The name of the log. */
  readonly origin: string;
  /** The number of the moment's entry in the log, from 0. */
  readonly index: number;
  /** The number of entries in the log that the witnesses saw. */
  readonly size: number;
  /** The names, in the policy, of the witnesses that signed by `before`. */
  readonly witnesses: readonly string[];
}

/** Verifies a proof. Throws LogProofError with the reason, or InputError if the policy demands no witness. */
export async function verifyProof(
  proof: string,
  policy: LogPolicy,
  verifyEd25519: VerifyEd25519,
): Promise<VerifiedProof> {
  if (policy.quorum === 'none') {
    throw new InputError(
      'the policy must have a quorum of witnesses (got `quorum none`): without one, nobody says when',
    );
  }
  const { extra, index, path, checkpoint } =
    parseTlogProof(proof) ?? refuse('proof_format', 'it is no tlog-proof');
  const moment =
    parseExtra(extra ?? new Uint8Array()) ??
    refuse('proof_format', '`extra` must be the canonical JSON of a head');

  const root = rootFromPath(moment, moment.path);
  const leaf = entryLeaf(momentEntry(moment.time, root));

  const keys = [...policy.logs, ...policy.witnesses].map(({ key }) => key);
  const verified = await verifyCheckpoint(checkpoint, keys, verifyEd25519);
  const { origin, size, signatures } = verified;
  if (!verifyInclusion({ index, leaf, path }, verified)) {
    refuse('proof_inclusion', 'its paths do not lead from the head to the root of the checkpoint');
  }
  const signers = new Set(signatures.map(({ key }) => key));
  if (!policy.logs.some(({ key }) => key.name === origin && signers.has(key))) {
    refuse('proof_log', `no log of the policy with the name ${JSON.stringify(origin)} signed it`);
  }
  const seconds = quorumTime(policy, signatures);
  if (seconds === undefined) {
    refuse('proof_quorum', 'too few witnesses of the policy signed it: if it is new, try again in a minute');
  }
  const counted = new Set(signatures.filter(({ time }) => time > 0 && time <= seconds).map(({ key }) => key));

  return {
    tenantId: moment.tenantId,
    id: moment.id,
    hash: toHex(moment.hash),
    before: new Date(seconds * 1_000),
    claimedTime: new Date(moment.time),
    origin,
    index,
    size,
    witnesses: policy.witnesses.filter(({ key }) => counted.has(key)).map(({ name }) => name),
  };
}

function refuse(...reason: ConstructorParameters<typeof LogProofError>): never {
  throw new LogProofError(...reason);
}
