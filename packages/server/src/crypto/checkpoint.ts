import { createPrivateKey, createPublicKey, hash as digest, type KeyObject, sign, verify } from 'node:crypto';
import { isBase64 } from '@eaas/protocol/base64';
import { sameBytes } from './same-bytes.ts';

/** A head of the audit chain: how many entries it has, and the hash of the last. */
export interface ChainHead {
  readonly id: number;
  readonly hash: Uint8Array;
}

/** A signed head, and what a tenant pins in order to check it without the service. */
export interface SignedCheckpoint {
  readonly checkpoint: string;
  readonly verifierKey: string;
}

interface Signer {
  readonly name: string;
  readonly keyId: Buffer;
  readonly publicKey: Buffer;
  readonly privateKey: KeyObject;
}

const ed25519 = Buffer.of(1); // its number among the signature types of signed-note
// PKCS #8 (RFC 8410) up to the seed.
const pkcs8 = Buffer.from('302e020100300506032b657004220420', 'hex');

/** Signs a head with the tenant's Ed25519 seed: a C2SP signed note (https://c2sp.org/signed-note). */
export function signCheckpoint(
  seed: KeyObject,
  tenantId: string,
  id: number,
  hash: Uint8Array,
): SignedCheckpoint {
  const { name, keyId, publicKey, privateKey } = signerOf(seed, tenantId);
  const text = `${origin(tenantId)}\n${id}\n${toBase64(hash)}\n`;
  const signature = sign(null, Buffer.from(text), privateKey);
  return {
    checkpoint: `${text}\n\u2014 ${name} ${toBase64(keyId, signature)}\n`,
    verifierKey: `${name}+${keyId.toString('hex')}+${toBase64(ed25519, publicKey)}`,
  };
}

/**
 * The head that a checkpoint states, or undefined unless this tenant's key signed it, once. Signatures by
 * others, a witness for one, are ignored.
 */
export function openCheckpoint(seed: KeyObject, tenantId: string, checkpoint: string): ChainHead | undefined {
  const [text, rest, ...more] = checkpoint.split('\n\n');
  if (text === undefined || !rest?.endsWith('\n') || more.length > 0) return undefined;
  const { name, keyId, privateKey } = signerOf(seed, tenantId);
  const signatures = rest.slice(0, -1).split('\n').map(readSignature);
  const ours = signatures.filter((each) => each?.name === name && sameBytes(each.keyId, keyId));
  if (ours.length !== 1 || signatures.includes(undefined)) return undefined;
  const [own] = ours;
  const publicKey = createPublicKey(privateKey);
  if (!own || !verify(null, Buffer.from(`${text}\n`), publicKey, own.signature)) return undefined;
  return readHead(text, tenantId);
}

function signerOf(seed: KeyObject, tenantId: string): Signer {
  const secret = seed.export();
  const der = Buffer.concat([pkcs8, secret]);
  secret.fill(0);
  const privateKey = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
  der.fill(0);
  const publicKey = createPublicKey(privateKey).export({ format: 'der', type: 'spki' }).subarray(-32);
  const name = `eaas/${tenantId}`;
  const keyId = digest('sha256', Buffer.concat([Buffer.from(`${name}\n`), ed25519, publicKey]), 'buffer');
  return { name, keyId: keyId.subarray(0, 4), publicKey, privateKey };
}

function readSignature(line: string): { name: string; keyId: Buffer; signature: Buffer } | undefined {
  const [, name, encoded] = /^\u2014 ([^\s+]+) (\S+)$/u.exec(line) ?? [];
  if (name === undefined || encoded === undefined || !isBase64(encoded)) return undefined;
  const bytes = Buffer.from(encoded, 'base64');
  return { name, keyId: bytes.subarray(0, 4), signature: bytes.subarray(4) };
}

function readHead(text: string, tenantId: string): ChainHead | undefined {
  const [first, id, encoded, ...more] = text.split('\n');
  if (first !== origin(tenantId) || id === undefined || encoded === undefined || more.length > 0)
    return undefined;
  if (!/^(0|[1-9]\d*)$/.test(id) || !Number.isSafeInteger(Number(id)) || !isBase64(encoded)) return undefined;
  const hash = Buffer.from(encoded, 'base64');
  return hash.length === 32 ? { id: Number(id), hash } : undefined;
}

function origin(tenantId: string): string {
  return `eaas.audit-chain.v1/${tenantId}`;
}

function toBase64(...parts: readonly Uint8Array[]): string {
  return Buffer.concat(parts).toString('base64');
}
