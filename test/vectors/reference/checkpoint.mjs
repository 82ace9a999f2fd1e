// Checkpoints of the audit chain: C2SP signed notes (https://c2sp.org/signed-note) by an Ed25519 key.
import { createPrivateKey, createPublicKey, sign, verify } from 'node:crypto';
import { base64, concat, fromHex, hex, sha256, utf8 } from './bytes.mjs';
import { decodeBase64 } from './base64.mjs';

const ed25519 = Buffer.of(1);

export const keyName = (tenantId) => `eaas/${tenantId}`;
export const noteText = (tenantId, id, hash) => `eaas.audit-chain.v1/${tenantId}\n${id}\n${base64(hash)}\n`;

export function ed25519PrivateKey(seed) {
  return createPrivateKey({
    key: concat(fromHex('302e020100300506032b657004220420'), seed),
    format: 'der',
    type: 'pkcs8',
  });
}

export function publicKeyOf(seed) {
  return Buffer.from(createPublicKey(ed25519PrivateKey(seed)).export({ format: 'jwk' }).x, 'base64url');
}

export function keyIdOf(name, publicKey) {
  return sha256(concat(utf8(`${name}\n`), ed25519, publicKey)).subarray(0, 4);
}

export function verifierKey(name, publicKey) {
  return `${name}+${hex(keyIdOf(name, publicKey))}+${base64(concat(ed25519, publicKey))}`;
}

export const signatureLine = (name, keyId, signature) =>
  `\u2014 ${name} ${base64(concat(keyId, signature))}\n`;

export function signNote(text, name, seed) {
  const signature = sign(null, utf8(text), ed25519PrivateKey(seed));
  return `${text}\n${signatureLine(name, keyIdOf(name, publicKeyOf(seed)), signature)}`;
}

export function openNote(note, pinned, tenantId) {
  const split = note.lastIndexOf('\n\n');
  if (split < 0 || !note.endsWith('\n')) throw new Error('not a note');
  const text = note.slice(0, split + 1);
  const lines = note
    .slice(split + 2)
    .slice(0, -1)
    .split('\n')
    .map(readSignatureLine);
  const { name, keyId, publicKey } = readVerifierKey(pinned);
  const ours = lines.filter((line) => line.name === name && line.keyId.equals(keyId));
  if (ours.length === 0) throw new Error('no signature by the pinned key');
  if (!ours.every((line) => verify(null, utf8(text), publicKey, line.signature)))
    throw new Error('signature');
  return readText(text, tenantId);
}

function readSignatureLine(line) {
  const match = /^\u2014 ([^\s+]+) (\S+)$/u.exec(line);
  if (!match) throw new Error('not a signature line');
  const bytes = decodeBase64(match[2]);
  return { name: match[1], keyId: bytes.subarray(0, 4), signature: bytes.subarray(4) };
}

function readVerifierKey(text) {
  const [name, keyIdHex, ...rest] = text.split('+');
  const bytes = decodeBase64(rest.join('+'));
  const publicKey = bytes.subarray(1);
  if (bytes.length !== 33 || bytes[0] !== 1 || hex(keyIdOf(name, publicKey)) !== keyIdHex)
    throw new Error('not a verifier key');
  return { name, keyId: fromHex(keyIdHex), publicKey: ed25519PublicKey(publicKey) };
}

export function ed25519PublicKey(bytes) {
  const jwk = { kty: 'OKP', crv: 'Ed25519', x: bytes.toString('base64url') };
  return createPublicKey({ key: jwk, format: 'jwk' });
}

function readText(text, tenantId) {
  const [origin, id, hash, end, ...more] = text.split('\n');
  if (origin !== `eaas.audit-chain.v1/${tenantId}` || end !== '' || more.length > 0)
    throw new Error('not a checkpoint of this tenant');
  if (!/^(0|[1-9][0-9]*)$/.test(id) || !Number.isSafeInteger(Number(id))) throw new Error('not an id');
  const bytes = decodeBase64(hash);
  if (bytes.length !== 32) throw new Error('not a hash');
  return { id: Number(id), hash: bytes };
}
