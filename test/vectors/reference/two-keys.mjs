// Makes a ciphertext that AES-GCM accepts under two keys. The tag is a polynomial over GF(2^128) and linear in each
// block, so a suitable block makes the tags under both keys equal.
import { createCipheriv } from 'node:crypto';
import { concat } from './bytes.mjs';

const toNumber = (block) => BigInt(`0x${Buffer.from(block).toString('hex')}`);
const toBlock = (number) => Buffer.from(number.toString(16).padStart(32, '0'), 'hex');
const reduction = 0xe1n << 120n;
const one = 1n << 127n;

/** Multiplies two elements of GF(2^128) by algorithm 1 of NIST SP 800-38D. */
function multiply(x, y) {
  let product = 0n;
  for (let bit = 127n, shifted = y; bit >= 0n; bit--) {
    if ((x >> bit) & 1n) product ^= shifted;
    shifted = shifted & 1n ? (shifted >> 1n) ^ reduction : shifted >> 1n;
  }
  return product;
}

function invert(x) {
  let inverse = one;
  let power = x;
  for (let i = 1; i < 128; i++) {
    power = multiply(power, power);
    inverse = multiply(inverse, power);
  }
  return inverse;
}

function blocksOf(bytes) {
  const padded = concat(bytes, Buffer.alloc((16 - (bytes.length % 16)) % 16));
  return Array.from({ length: padded.length / 16 }, (_, i) => padded.subarray(i * 16, i * 16 + 16));
}

function ghash(h, aad, body) {
  const lengths = Buffer.alloc(16);
  lengths.writeBigUInt64BE(BigInt(aad.length * 8), 0);
  lengths.writeBigUInt64BE(BigInt(body.length * 8), 8);
  return [...blocksOf(aad), ...blocksOf(body), lengths].reduce(
    (sum, block) => multiply(sum ^ toNumber(block), h),
    0n,
  );
}

function aesBlock(key, block) {
  return toNumber(createCipheriv('aes-256-ecb', key, null).setAutoPadding(false).update(block));
}

export function sealUnderTwoKeys(keyA, keyB, iv, aad, first) {
  const [hA, hB] = [keyA, keyB].map((key) => aesBlock(key, Buffer.alloc(16)));
  const [maskA, maskB] = [keyA, keyB].map((key) => aesBlock(key, concat(iv, Buffer.of(0, 0, 0, 1))));
  const draft = concat(first, Buffer.alloc(16));
  const difference = ghash(hA, aad, draft) ^ maskA ^ ghash(hB, aad, draft) ^ maskB;
  const solved = multiply(difference, invert(multiply(hA, hA) ^ multiply(hB, hB)));
  const body = concat(first, toBlock(solved));
  return concat(body, toBlock(ghash(hA, aad, body) ^ maskA));
}
