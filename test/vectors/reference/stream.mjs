import { timingSafeEqual } from 'node:crypto';
import { concat, empty, hkdf, pae } from './bytes.mjs';
import { encodeContext } from './context.mjs';
import { gcmOpen, gcmSeal, tagLength } from './gcm.mjs';
import { boundLength, OpenError, readHeader, requireKeyId, writeHeader } from './header.mjs';

const version = 2;
const chunkLength = 65536;
export const sealedChunkLength = chunkLength + tagLength;

function nonce(counter, last) {
  const bytes = Buffer.alloc(12);
  bytes.writeBigUInt64BE(BigInt(counter), 3);
  bytes[11] = last ? 1 : 0;
  return bytes;
}

export function sealChunk(key, counter, last, plaintext) {
  return gcmSeal(key, nonce(counter, last), empty, plaintext);
}

function deriveForStream(dek, salt, bound, context) {
  const info = pae('eaas stream v2', bound, encodeContext(context));
  const bytes = hkdf(dek, salt, info, 64);
  return { key: bytes.subarray(0, 32), commitment: bytes.subarray(32), info };
}

export function beginStream({ dek, key_id, key_version, wrapped_key, salt, context }) {
  const written = writeHeader(version, { key_id, key_version, wrapped_key });
  const derived = deriveForStream(dek, salt, written.subarray(0, boundLength), context);
  return { ...derived, header: concat(written, salt, derived.commitment) };
}

export function sealChunks(key, plaintext) {
  const count = Math.max(1, Math.ceil(plaintext.length / chunkLength));
  return Array.from({ length: count }, (_, i) =>
    sealChunk(key, i, i === count - 1, plaintext.subarray(i * chunkLength, (i + 1) * chunkLength)),
  );
}

export function openStream(bytes, { dek, expected_key_id, context }) {
  const header = readHeader(bytes, version, 64);
  requireKeyId(header, expected_key_id);
  const chunksAt = header.length + 64;
  const { key, commitment } = deriveForStream(
    dek,
    bytes.subarray(header.length, header.length + 32),
    header.bound,
    context,
  );
  if (!timingSafeEqual(commitment, bytes.subarray(header.length + 32, chunksAt)))
    throw new OpenError('decryption', 'commitment');
  return openChunks(key, bytes.subarray(chunksAt));
}

function openChunks(key, sealed) {
  const count = Math.max(1, Math.ceil(sealed.length / sealedChunkLength));
  const plaintexts = Array.from({ length: count }, (_, i) =>
    openChunk(key, i, i === count - 1, sealed.subarray(i * sealedChunkLength, (i + 1) * sealedChunkLength)),
  );
  return concat(...plaintexts);
}

function openChunk(key, counter, last, sealed) {
  if (sealed.length < tagLength) throw new OpenError('decryption', 'a chunk without a tag');
  if (sealed.length === tagLength && counter > 0) throw new OpenError('decryption', 'an empty last chunk');
  try {
    return gcmOpen(key, nonce(counter, last), empty, sealed);
  } catch {
    throw new OpenError('decryption', 'tag');
  }
}

export function pattern(length) {
  const bytes = Buffer.alloc(length);
  for (let i = 0; i < length; i++) bytes[i] = (i * 7 + (i >> 8)) & 0xff;
  return bytes;
}
