// Who signed what about a log: verifier keys, checkpoints and cosignatures (https://c2sp.org/signed-note, tlog-checkpoint,
// tlog-cosignature).
import { readBase64, toBase64 } from '../base64.ts';
import { EaasError, InputError, LoadError } from '../errors.ts';
import { ed25519, formatSignature, type NoteKey, noteKey, parseNote } from '../signed-note.ts';
import { toUtf8, utf8Length } from '../text.ts';

/** Why a proof is refused. */
export type LogProofErrorCode =
  /** The text is not a proof, or not written in the one way that is accepted. */
  | 'proof_format'
  /** The paths do not lead from the head to the root that was signed. */
  | 'proof_inclusion'
  /** The policy has no log of this origin, or its key did not sign. */
  | 'proof_log'
  /** A key of the policy has a signature that is not valid. */
  | 'proof_signature'
  /** Too few witnesses of the policy signed. They sign a few seconds after the log, so try again if the proof is new. */
  | 'proof_quorum'
  /** The entries do not lead from the proven entry to the head. */
  | 'proof_chain';

/**
 * Thrown if a proof of the public log does not show what it says.
 *
 * @example
 * ```ts
 * import { LogProofError, verifyProof } from '@eaas/audit';
 *
 * const error = await verifyProof('no proof', policy).catch((error: unknown) => error);
 * if (error instanceof LogProofError) console.log(error.code); // proof_format
 * ```
 */
export class LogProofError extends EaasError {
  override readonly name = 'LogProofError';
  readonly code: LogProofErrorCode;

  constructor(code: LogProofErrorCode, reason: string) {
    super(`the proof is refused: ${reason}`);
    this.code = code;
  }
}

// Verifier keys

const ed25519Cosignature = 4;
const mlDsa44Cosignature = 6;

/** The types of keys whose signatures this code can verify, with their lengths in bytes. */
const types = {
  [ed25519]: { key: 32, signature: 64, isTimed: false },
  [ed25519Cosignature]: { key: 32, signature: 64, isTimed: true },
  [mlDsa44Cosignature]: { key: 1_312, signature: 2_420, isTimed: true },
};

/** The longest name of a key or a log, in bytes, because the message of type 6 has no place for a longer one. */
const longestName = 255;

export const typeOf = (type: number): (typeof types)[keyof typeof types] | undefined =>
  types[type as keyof typeof types];

/** Parses the text of a verifier key. Throws InputError for any other text. */
export function parseNoteKey(text: string): NoteKey {
  const [, name = '', keyId = '', encoded = ''] = /^([^\s\u0085+]+)\+([\da-f]{8})\+(\S+)$/.exec(text) ?? [];
  const bytes = readBase64(encoded);
  if (!bytes?.length || utf8Length(name) > longestName) {
    throw new InputError('a verifier key must be `<name>+<key id>+<base64>`');
  }
  const type = bytes[0] as number;
  const publicKey = bytes.slice(1);
  const length = typeOf(type)?.key;
  if (length && publicKey.length !== length) {
    throw new InputError(
      `the public key of ${name} must have ${length} bytes for type ${type} (got ${publicKey.length})`,
    );
  }
  const { keyId: expected } = noteKey(name, type, publicKey);
  if (length && keyId !== expected) {
    throw new InputError(
      `the key id of ${name} must be ${expected} (got ${keyId}): copy the whole verifier key`,
    );
  }
  return { name, keyId, type, publicKey };
}

// Checkpoints

/** The state of a log: how many entries it has, and their root. */
export interface TreeHead {
  readonly origin: string;
  readonly size: number;
  readonly root: Uint8Array;
}

/** Returns the text that the log and its witnesses sign. */
export const treeHeadText = ({ origin, size, root }: TreeHead): string =>
  `${origin}\n${size}\n${toBase64(root)}\n`;

/** Parses the text of a checkpoint, without its signatures. Returns undefined for any other text, and for extension lines. */
export function parseTreeHead(text: string): TreeHead | undefined {
  const [, origin = '', count, encoded = ''] = /^(.+)\n(0|[1-9]\d*)\n(.+)\n$/.exec(text) ?? [];
  const size = Number(count);
  const root = readBase64(encoded);
  if (root?.length !== 32 || !Number.isSafeInteger(size) || utf8Length(origin) > longestName) {
    return undefined;
  }
  return { origin, size, root };
}

/** Returns whether an Ed25519 signature (RFC 8032) of a message is valid under a public key of 32 bytes. */
export type VerifyEd25519 = (
  publicKey: Uint8Array<ArrayBuffer>,
  signature: Uint8Array<ArrayBuffer>,
  message: Uint8Array<ArrayBuffer>,
) => boolean | Promise<boolean>;

/** A valid signature. `time` is what a cosignature says: seconds since 1970, or 0 if it says none. */
export interface VerifiedSignature {
  readonly key: NoteKey;
  readonly time: number;
  /** The line in the note. */
  readonly line: string;
}

/** A checkpoint, with the signatures that are valid. */
export interface VerifiedCheckpoint extends TreeHead {
  readonly text: string;
  readonly signatures: readonly VerifiedSignature[];
}

/**
 * Parses a checkpoint and verifies the signatures of these keys, those of other keys are ignored. Throws LogProofError
 * if the text is no checkpoint, or if one of these keys has two signatures or one that is not valid. May return without
 * any signature.
 */
export async function verifyCheckpoint(
  note: string,
  keys: readonly NoteKey[],
  verifyEd25519: VerifyEd25519,
): Promise<VerifiedCheckpoint> {
  const { text = '', signatures = [] } = parseNote(note) ?? {};
  const head = parseTreeHead(text);
  if (!head) throw new LogProofError('proof_format', 'it has no checkpoint');
  const verified: VerifiedSignature[] = [];
  for (const signature of signatures) {
    const key = keys.find(({ name, keyId }) => name === signature.name && keyId === signature.keyId);
    if (!key || !typeOf(key.type)) continue;
    const time = await verifySignature(key, signature.bytes, head, verifyEd25519);
    if (time === undefined || verified.some((earlier) => earlier.key === key)) {
      throw new LogProofError(
        'proof_signature',
        time === undefined
          ? `the signature of ${key.name} is not valid for this checkpoint`
          : `${key.name} has two signatures`,
      );
    }
    verified.push({ key, time, line: formatSignature(signature) });
  }
  return { ...head, text, signatures: verified };
}

/** Returns the time of a signature, or undefined if it is not valid. */
async function verifySignature(
  { name, type, publicKey }: NoteKey,
  bytes: Uint8Array<ArrayBuffer>,
  head: TreeHead,
  verifyEd25519: VerifyEd25519,
): Promise<number | undefined> {
  const { signature: length = 0, isTimed = false } = typeOf(type) ?? {};
  const start = isTimed ? 8 : 0;
  if (bytes.length !== start + length) return undefined;
  const time = isTimed ? Number(new DataView(bytes.buffer, bytes.byteOffset).getBigUint64(0)) : 0;
  if (time > latestTime) return undefined;
  const message = isTimed ? cosignedMessage({ name, type }, time, head) : toUtf8(treeHeadText(head));
  const signature = bytes.slice(start);
  const isValid =
    type === mlDsa44Cosignature
      ? await verifyMlDsa44(publicKey, signature, message)
      : await verifyEd25519(publicKey, signature, message);
  return isValid ? time : undefined;
}

/** The largest number of seconds that a Date can represent. */
const latestTime = 8_640_000_000_000;

/** Returns the bytes that a witness signs: with Ed25519 the text of the checkpoint, with ML-DSA-44 a structure. */
export function cosignedMessage(
  { name, type }: Pick<NoteKey, 'name' | 'type'>,
  time: number,
  head: TreeHead,
): Uint8Array<ArrayBuffer> {
  if (type === ed25519Cosignature) return toUtf8(`cosignature/v1\ntime ${time}\n${treeHeadText(head)}`);
  const cosigner = toUtf8(name);
  const origin = toUtf8(head.origin);
  return Uint8Array.of(
    ...toUtf8('subtree/v1\n\0'),
    cosigner.length,
    ...cosigner,
    ...uint64(time),
    origin.length,
    ...origin,
    ...uint64(0),
    ...uint64(head.size),
    ...head.root,
  );
}

function uint64(value: number): Uint8Array {
  const bytes = new Uint8Array(8);
  new DataView(bytes.buffer).setBigUint64(0, BigInt(value));
  return bytes;
}

/** Loads the code for ML-DSA on demand: most policies have no such witness. */
async function verifyMlDsa44(
  publicKey: Uint8Array,
  signature: Uint8Array,
  message: Uint8Array,
): Promise<boolean> {
  const { ml_dsa44 } = await import('@noble/post-quantum/ml-dsa.js').catch(() => {
    throw new LoadError('ML-DSA-44');
  });
  return ml_dsa44.verify(signature, message, publicKey);
}
