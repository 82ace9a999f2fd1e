import { timingSafeEqual } from 'node:crypto';
import { concat, empty, hkdf, utf8 } from './bytes.mjs';
import { encodeContext } from './context.mjs';
import { gcmOpen, gcmSeal } from './gcm.mjs';
import { boundLength, OpenError, readHeader, requireKeyId, writeHeader } from './header.mjs';

const version = 1;
const ivLength = 12;
const commitmentLength = 32;
const tagLength = 16;

export function deriveFromDek(dek) {
  const bytes = hkdf(dek, empty, utf8('eaas envelope v1'), 64);
  return { key: bytes.subarray(0, 32), commitment: bytes.subarray(32) };
}

export function sealEnvelope({ dek, key_id, key_version, wrapped_key, iv, context, plaintext }) {
  const header = writeHeader(version, { key_id, key_version, wrapped_key });
  const { key, commitment } = deriveFromDek(dek);
  const aad = concat(header.subarray(0, boundLength), encodeContext(context));
  const ciphertext = concat(header, iv, commitment, gcmSeal(key, iv, aad, plaintext));
  return { encryption_key: key, commitment, aad, ciphertext };
}

export function openEnvelope(bytes, { dek, expected_key_id, context }) {
  const header = readHeader(bytes, version, ivLength + commitmentLength + tagLength);
  requireKeyId(header, expected_key_id);
  const afterIv = header.length + ivLength;
  const afterCommitment = afterIv + commitmentLength;
  const { key, commitment } = deriveFromDek(dek);
  if (!timingSafeEqual(commitment, bytes.subarray(afterIv, afterCommitment)))
    throw new OpenError('decryption', 'commitment');
  const aad = concat(header.bound, encodeContext(context));
  try {
    return gcmOpen(key, bytes.subarray(header.length, afterIv), aad, bytes.subarray(afterCommitment));
  } catch {
    throw new OpenError('decryption', 'tag');
  }
}

export function fieldsOf(bytes) {
  const wrappedEnd = 26 + bytes.readUInt16BE(24);
  return {
    magic: [0, 3],
    version: [3, 4],
    key_id: [4, 20],
    key_version: [20, 24],
    n: [24, 26],
    wrapped_key: [26, wrappedEnd],
    iv: [wrappedEnd, wrappedEnd + 12],
    commitment: [wrappedEnd + 12, wrappedEnd + 44],
    body: [wrappedEnd + 44, bytes.length - 16],
    tag: [bytes.length - 16, bytes.length],
  };
}
