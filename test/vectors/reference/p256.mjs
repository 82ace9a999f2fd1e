import { concat, fromHex, sha256 } from './bytes.mjs';

export const p = 0xffffffff00000001000000000000000000000000ffffffffffffffffffffffffn;
const a = p - 3n;
const b = 0x5ac635d8aa3a93e7b3ebbd55769886bc651d06b0cc53b0f63bce3c3e27d2604bn;
export const n = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n;
export const G = {
  x: 0x6b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296n,
  y: 0x4fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5n,
};

export const mod = (value, modulus) => ((value % modulus) + modulus) % modulus;

function power(base, exponent, modulus) {
  let result = 1n;
  for (let rest = exponent; rest > 0n; rest >>= 1n) {
    if (rest & 1n) result = (result * base) % modulus;
    base = (base * base) % modulus;
  }
  return result;
}

const invert = (value, modulus) => power(mod(value, modulus), modulus - 2n, modulus);

const curve = (x) => mod(x ** 3n + a * x + b, p);
const isSquare = (value) => power(value, (p - 1n) / 2n, p) <= 1n;
const root = (value) => power(value, (p + 1n) / 4n, p);

/** Adds two points. Null stands for the point at infinity. */
export function add(one, other) {
  if (!one || !other) return one ?? other;
  if (one.x === other.x && one.y !== other.y) return null;
  const slope =
    one.x === other.x
      ? (3n * one.x ** 2n + a) * invert(2n * one.y, p)
      : (other.y - one.y) * invert(other.x - one.x, p);
  const x = mod(slope ** 2n - one.x - other.x, p);
  return { x, y: mod(slope * (one.x - x) - one.y, p) };
}

export function multiply(scalar, point) {
  let result = null;
  for (const bit of scalar.toString(2)) {
    result = add(result, result);
    if (bit === '1') result = add(result, point);
  }
  return result;
}

const octets = (value, length = 32) => fromHex(value.toString(16).padStart(2 * length, '0'));
export const scalarBytes = (scalar) => octets(scalar);
export const pointBytes = ({ x, y }) => concat(octets(2n + (y & 1n), 1), octets(x));
export const integer = (bytes) => BigInt(`0x${Buffer.from(bytes).toString('hex') || '0'}`);

/** Reads a point in compressed form. Returns null for any other bytes. */
export function readPoint(bytes) {
  if (bytes.length !== 33 || (bytes[0] !== 2 && bytes[0] !== 3)) return null;
  const x = integer(bytes.subarray(1));
  if (x >= p || !isSquare(curve(x))) return null;
  const y = root(curve(x));
  return { x, y: Number(y & 1n) === (bytes[0] & 1) ? y : p - y };
}

/** Expands a message (expand_message_xmd of RFC 9380, section 5.3.1, with SHA-256). */
function expand(message, tag, length) {
  const end = concat(tag, octets(BigInt(tag.length), 1));
  const first = sha256(concat(Buffer.alloc(64), message, octets(BigInt(length), 2), Buffer.of(0), end));
  const blocks = [];
  let last = Buffer.alloc(32);
  for (let block = 1; block * 32 < length + 32; block++) {
    last = sha256(concat(Buffer.from(first.map((byte, at) => byte ^ last[at])), Buffer.of(block), end));
    blocks.push(last);
  }
  return concat(...blocks).subarray(0, length);
}

export const hashToScalar = (message, tag) => mod(integer(expand(message, tag, 48)), n);

/** Hashes a message to a point (hash_to_curve of RFC 9380, section 3, in the suite P256_XMD:SHA-256_SSWU_RO_). */
export function hashToCurve(message, tag) {
  const bytes = expand(message, tag, 96);
  return add(map(mod(integer(bytes.subarray(0, 48)), p)), map(mod(integer(bytes.subarray(48)), p)));
}

/** Maps a number to a point (the simplified SWU method of RFC 9380, section 6.6.2, with Z = -10). */
function map(u) {
  const z = mod(-10n * u ** 2n, p);
  const sum = mod(z ** 2n + z, p);
  const x1 = sum === 0n ? b * invert(-10n * a, p) : -b * invert(a, p) * (1n + invert(sum, p));
  const x = isSquare(curve(mod(x1, p))) ? mod(x1, p) : mod(z * x1, p);
  const y = root(curve(x));
  return { x, y: (y & 1n) === (u & 1n) ? y : p - y };
}
