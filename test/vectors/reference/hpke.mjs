// HPKE (RFC 9180) in base mode with X-Wing, HKDF-SHA256 and AES-256-GCM.
import { createHash, createPrivateKey, createPublicKey, diffieHellman } from 'node:crypto';
import { concat, empty, fromHex, hmac, u16, utf8 } from './bytes.mjs';
import { gcmOpen, gcmSeal } from './gcm.mjs';
import { decapsulate, encapsulate, keyPair, sha3 } from './ml-kem.mjs';

const suiteId = concat(utf8('HPKE'), fromHex('647a00010002'));
const label = utf8('\\.//^\\');
const mlKemKeyLength = 1184;
const mlKemCiphertextLength = 1088;

function x25519(scalar, point) {
  const privateKey = privateKeyOf(scalar);
  const der = concat(fromHex('302a300506032b656e032100'), point);
  return diffieHellman({ privateKey, publicKey: createPublicKey({ key: der, format: 'der', type: 'spki' }) });
}

const publicPoint = (scalar) =>
  createPublicKey(privateKeyOf(scalar)).export({ format: 'der', type: 'spki' }).subarray(-32);

const privateKeyOf = (scalar) =>
  createPrivateKey({
    key: concat(fromHex('302e020100300506032b656e04220420'), scalar),
    format: 'der',
    type: 'pkcs8',
  });

export function xWingKeyPair(seed) {
  const expanded = createHash('shake256', { outputLength: 96 }).update(seed).digest();
  const mlKem = keyPair(expanded.subarray(0, 32), expanded.subarray(32, 64));
  const scalar = expanded.subarray(64);
  const point = publicPoint(scalar);
  return { mlKem, scalar, point, publicKey: concat(mlKem.ek, point) };
}

export function xWingEncapsulate(publicKey, seed) {
  const point = publicKey.subarray(mlKemKeyLength);
  const mlKem = encapsulate(publicKey.subarray(0, mlKemKeyLength), seed.subarray(0, 32));
  const ephemeral = publicPoint(seed.subarray(32));
  const shared = x25519(seed.subarray(32), point);
  return {
    secret: sha3(concat(mlKem.secret, shared, ephemeral, point, label)),
    enc: concat(mlKem.ciphertext, ephemeral),
  };
}

export function xWingDecapsulate({ mlKem, scalar, point }, enc) {
  const ephemeral = enc.subarray(mlKemCiphertextLength);
  const secret = decapsulate(mlKem, enc.subarray(0, mlKemCiphertextLength));
  return sha3(concat(secret, x25519(scalar, ephemeral), ephemeral, point, label));
}

const labeled = (name, bytes) => concat(utf8('HPKE-v1'), suiteId, utf8(name), bytes);
const extract = (salt, name, ikm) => hmac(salt, labeled(name, ikm));
const expand = (secret, name, info, length) =>
  hmac(secret, concat(u16(length), labeled(name, info), Buffer.of(1))).subarray(0, length);

export function keySchedule(secret, info) {
  const context = concat(
    Buffer.of(0),
    extract(empty, 'psk_id_hash', empty),
    extract(empty, 'info_hash', info),
  );
  const base = extract(secret, 'secret', empty);
  return { key: expand(base, 'key', context, 32), nonce: expand(base, 'base_nonce', context, 12) };
}

export function sealBase(secret, info, aad, plaintext) {
  const { key, nonce } = keySchedule(secret, info);
  return gcmSeal(key, nonce, aad, plaintext);
}

export function openBase(secret, info, aad, sealed) {
  const { key, nonce } = keySchedule(secret, info);
  return gcmOpen(key, nonce, aad, sealed);
}
