// This module is loaded if WebCrypto has no X25519. noble's own module with `x25519` is twice as large as
// this code, because noble's module also contains Ed25519.
import { montgomery } from '@noble/curves/abstract/montgomery.js';
import { pow } from '@noble/curves/abstract/modular.js';

const prime = /* @__PURE__ */ BigInt(`0x7f${'ff'.repeat(30)}ed`);

const curve = /* @__PURE__ */ montgomery({
  P: prime,
  type: 'x25519',
  powPminus2: (value) => pow(value, prime - 2n, prime),
  adjustScalarBytes(scalar: Uint8Array) {
    const first = scalar[0] ?? 0;
    const last = scalar[31] ?? 0;
    scalar.fill(first & 248, 0, 1).fill((last & 127) | 64, 31);
    return scalar;
  },
});

/** Throws for a point of low order. */
export const x25519 = (scalar: Uint8Array, point: Uint8Array): Uint8Array =>
  curve.getSharedSecret(scalar, point);
