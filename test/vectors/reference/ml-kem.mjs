// ML-KEM-768 (FIPS 203), written to be read. This implementation is slow and not constant-time.
import { createHash } from 'node:crypto';
import { concat } from './bytes.mjs';

const q = 3329;
const k = 3;
const du = 10;
const dv = 4;

const hash = (name, length) => (bytes) =>
  createHash(name, length && { outputLength: length })
    .update(bytes)
    .digest();
export const sha3 = hash('sha3-256');
const g = hash('sha3-512');
const j = hash('shake256', 32);

const indices = (length) => Array.from({ length }, (_, index) => index);
const mod = (value) => ((value % q) + q) % q;
const reversed = (index) =>
  Number.parseInt(index.toString(2).padStart(7, '0').split('').toReversed().join(''), 2);
const power = (exponent) => indices(exponent).reduce((product) => (product * 17) % q, 1);
const zetas = indices(128).map((index) => power(reversed(index)));
const gammas = indices(128).map((index) => power(2 * reversed(index) + 1));

const add = (a, b) => a.map((value, index) => mod(value + b[index]));
const subtract = (a, b) => a.map((value, index) => mod(value - b[index]));
const sum = (polynomials) => polynomials.reduce(add);

/** Algorithm 9 of FIPS 203. */
function ntt(polynomial) {
  const f = [...polynomial];
  let index = 1;
  for (let length = 128; length >= 2; length /= 2)
    for (let start = 0; start < 256; start += 2 * length) {
      const zeta = zetas[index++];
      for (let at = start; at < start + length; at++) {
        const t = mod(zeta * f[at + length]);
        f[at + length] = mod(f[at] - t);
        f[at] = mod(f[at] + t);
      }
    }
  return f;
}

/** Algorithm 10 of FIPS 203. */
function inverseNtt(polynomial) {
  const f = [...polynomial];
  let index = 127;
  for (let length = 2; length <= 128; length *= 2)
    for (let start = 0; start < 256; start += 2 * length) {
      const zeta = zetas[index--];
      for (let at = start; at < start + length; at++) {
        const t = f[at];
        f[at] = mod(t + f[at + length]);
        f[at + length] = mod(zeta * (f[at + length] - t));
      }
    }
  return f.map((value) => mod(value * 3303));
}

/** Algorithm 11 of FIPS 203. */
const multiply = (a, b) =>
  indices(128).flatMap((index) => {
    const [a0, a1, b0, b1] = [a[2 * index], a[2 * index + 1], b[2 * index], b[2 * index + 1]];
    return [mod(a0 * b0 + mod(a1 * b1) * gammas[index]), mod(a0 * b1 + a1 * b0)];
  });

const product = (as, bs) => sum(as.map((a, index) => multiply(a, bs[index])));

const bitsOf = (bytes) => Array.from(bytes).flatMap((byte) => indices(8).map((bit) => (byte >> bit) & 1));
const bytesOf = (bits) =>
  Buffer.from(
    indices(bits.length / 8).map((byte) =>
      indices(8).reduce((sum, bit) => sum | (bits[8 * byte + bit] << bit), 0),
    ),
  );

const encode = (d, polynomial) =>
  bytesOf(polynomial.flatMap((value) => indices(d).map((bit) => (value >> bit) & 1)));

function decode(d, bytes) {
  const bits = bitsOf(bytes);
  return indices(256).map((index) =>
    indices(d).reduce((sum, bit) => sum | (bits[d * index + bit] << bit), 0),
  );
}

const compress = (d, polynomial) =>
  polynomial.map((value) => Math.floor((value * 2 ** d) / q + 1 / 2) % 2 ** d);
const decompress = (d, polynomial) => polynomial.map((value) => Math.floor((value * q) / 2 ** d + 1 / 2));

/** Algorithm 7 of FIPS 203. */
function sampleUniform(seed, column, row) {
  const bytes = hash('shake128', 3 * 512)(concat(seed, Buffer.of(column, row)));
  const values = indices(512).flatMap((index) => {
    const [a, b, c] = bytes.subarray(3 * index);
    return [a + 256 * (b % 16), Math.floor(b / 16) + 16 * c];
  });
  return values.filter((value) => value < q).slice(0, 256);
}

/** Algorithm 8 of FIPS 203, with η = 2. */
function sampleBinomial(seed, counter) {
  const bits = bitsOf(hash('shake256', 128)(concat(seed, Buffer.of(counter))));
  return indices(256).map((index) => {
    const [a, b, c, d] = bits.slice(4 * index);
    return mod(a + b - c - d);
  });
}

const matrix = (seed) =>
  indices(k).map((row) => indices(k).map((column) => sampleUniform(seed, column, row)));
const noise = (seed, from) => indices(k).map((index) => sampleBinomial(seed, from + index));

/** Algorithm 16 of FIPS 203. */
export function keyPair(d, z) {
  const seeds = g(concat(d, Buffer.of(k)));
  const [rho, sigma] = [seeds.subarray(0, 32), seeds.subarray(32)];
  const s = noise(sigma, 0).map(ntt);
  const e = noise(sigma, k).map(ntt);
  const t = matrix(rho).map((row, index) => add(product(row, s), e[index]));
  const ek = concat(...t.map((one) => encode(12, one)), rho);
  return { ek, s, z };
}

/** Algorithm 14 of FIPS 203. */
function encrypt(ek, message, seed) {
  const t = indices(k).map((index) => decode(12, ek.subarray(384 * index, 384 * (index + 1))));
  const a = matrix(ek.subarray(384 * k));
  const y = noise(seed, 0).map(ntt);
  const e1 = noise(seed, k);
  const u = indices(k).map((index) => {
    const column = a.map((row) => row[index]);
    return add(inverseNtt(product(column, y)), e1[index]);
  });
  const v = sum([inverseNtt(product(t, y)), sampleBinomial(seed, 2 * k), decompress(1, decode(1, message))]);
  return concat(...u.map((one) => encode(du, compress(du, one))), encode(dv, compress(dv, v)));
}

/** Algorithm 17 of FIPS 203. */
export function encapsulate(ek, message) {
  const derived = g(concat(message, sha3(ek)));
  return { secret: derived.subarray(0, 32), ciphertext: encrypt(ek, message, derived.subarray(32)) };
}

/** Algorithm 18 of FIPS 203. */
export function decapsulate({ ek, s, z }, ciphertext) {
  const u = indices(k).map((index) =>
    decompress(du, decode(du, ciphertext.subarray(320 * index, 320 * (index + 1)))),
  );
  const v = decompress(dv, decode(dv, ciphertext.subarray(320 * k)));
  const message = encode(1, compress(1, subtract(v, inverseNtt(product(s, u.map(ntt))))));
  const { secret, ciphertext: expected } = encapsulate(ek, message);
  return expected.equals(ciphertext) ? secret : j(concat(z, ciphertext));
}
