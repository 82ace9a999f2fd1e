import { InputError, toUtf8 } from '@eaas/protocol';
import { fromBase64, isBase64 } from '@eaas/protocol/base64';
import { toHex } from './hex.ts';
import { type VerifySignature, verifyEd25519 } from './signature.ts';

/** An id of the log and the hash of its entry, in hex. Id 0 is where every log begins. */
export interface AuditHead {
  readonly id: number;
  readonly hash: string;
}

/** What a checkpoint states. */
export interface StatedHead extends AuditHead {
  readonly tenant_id: string;
}

/** A verifier key, taken apart. */
export interface Verifier {
  readonly name: string;
  readonly tenantId: string;
  readonly keyId: string;
  readonly publicKey: Uint8Array<ArrayBuffer>;
}

const ed25519 = 1; // its number among the signature types of signed-note

/**
 * What a checkpoint (a C2SP signed note) states, or undefined unless the verifier key signed it, once; signatures of
 * others are ignored. Needs no service. Throws InputError for what is no verifier key.
 */
export async function openCheckpoint(
  note: string,
  verifierKey: string,
  { verifySignature }: { readonly verifySignature?: VerifySignature | undefined } = {},
): Promise<StatedHead | undefined> {
  return openNote(note, await readVerifierKey(verifierKey), verifySignature);
}

/** The same with a verifier key that was read before. */
export async function openNote(
  note: string,
  { name, tenantId, keyId, publicKey }: Verifier,
  verifySignature: VerifySignature = verifyEd25519,
): Promise<StatedHead | undefined> {
  const [text, rest, ...more] = note.split('\n\n');
  if (text === undefined || !rest?.endsWith('\n') || more.length > 0 || !note.isWellFormed())
    return undefined;
  const signatures = rest.slice(0, -1).split('\n').map(readSignature);
  const ours = signatures.filter((each) => each?.name === name && each.keyId === keyId);
  const [own] = ours;
  if (own?.bytes.length !== 64 || ours.length > 1 || signatures.includes(undefined)) return undefined;
  const isSigned = await verifySignature(publicKey, own.bytes, toUtf8(`${text}\n`));
  return isSigned ? readHead(text, tenantId) : undefined;
}

/** Takes `eaas/<tenant_id>+<key id>+<base64>` apart. Throws InputError. */
export async function readVerifierKey(text: string): Promise<Verifier> {
  const [, name = '', tenantId = '', keyId = '', encoded = ''] =
    /^(eaas\/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}))\+([0-9a-f]{8})\+(.+)$/.exec(text) ?? [];
  const key = isBase64(encoded) ? fromBase64(encoded) : new Uint8Array();
  const named = Uint8Array.of(...toUtf8(`${name}\n`), ...key);
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', named));
  if (key.length !== 33 || key[0] !== ed25519 || toHex(digest.subarray(0, 4)) !== keyId)
    throw new InputError('that is no verifier key of an audit log: `eaas/<tenant id>+<key id>+<base64>`');
  return { name, tenantId, keyId, publicKey: key.slice(1) };
}

function readSignature(line: string) {
  const [, name, encoded] = /^\u2014 ([^\s+]+) (\S+)$/u.exec(line) ?? [];
  if (name === undefined || encoded === undefined || !isBase64(encoded)) return undefined;
  const bytes = fromBase64(encoded);
  return { name, keyId: toHex(bytes.subarray(0, 4)), bytes: bytes.slice(4) };
}

function readHead(text: string, tenantId: string): StatedHead | undefined {
  const [origin, id = '', encoded = '', ...more] = text.split('\n');
  if (origin !== `eaas.audit-chain.v1/${tenantId}` || more.length > 0) return undefined;
  if (!/^(0|[1-9]\d*)$/.test(id) || !Number.isSafeInteger(Number(id)) || !isBase64(encoded)) return undefined;
  const hash = fromBase64(encoded);
  return hash.length === 32 ? { tenant_id: tenantId, id: Number(id), hash: toHex(hash) } : undefined;
}
