// What both sides of an intake key agree on: the lengths, the layout of a wrapped key, and what HPKE binds it to.
import { type Context, encodeContext } from '../context.ts';
import type { Wrapped } from '../envelope.ts';
import { pae } from '../pae.ts';
import { writeUint32 } from '../bytes.ts';
import { versionEnd, versionIn, type WrappedForm } from '../wrapped-key.ts';

export const mlKemKeyLength = 1_184;
export const publicKeyLength = 1_216;
export const basePoint: Uint8Array = /* @__PURE__ */ new Uint8Array(32).fill(9, 0, 1);
const mlKemCiphertextLength = 1_088;

const x25519At = versionEnd + mlKemCiphertextLength;
const sealedAt = x25519At + 32;
/** The length of an intake wrapped key in bytes. */
export const intakeWrappedLength = sealedAt + 48;
/** The form of a wrapped key that a writer makes with a public key. */
export const intakeForm: WrappedForm = { formatAndSuite: 0x0201, length: intakeWrappedLength };

/** The key and the version that open an intake wrapped key. */
export type IntakePlace = Pick<Wrapped, 'keyId' | 'keyVersion'>;

/** The HKDF info that binds the private key to its tenant, key and version. */
export const intakeKeyInfo = (tenantId: string, { keyId, keyVersion }: IntakePlace): Uint8Array =>
  pae('eaas intake key v1', tenantId, keyId, keyVersion);

export const intakeInfo = ({ keyId, keyVersion }: IntakePlace): Uint8Array =>
  pae('eaas intake v1', keyId, keyVersion);

export const intakeAad = (keyVersion: number, context: Context | undefined): Uint8Array =>
  pae(intakeHead(keyVersion), encodeContext(context));

export function intakeHead(keyVersion: number): Uint8Array {
  const head = new Uint8Array(versionEnd);
  head.set([2, 1]);
  writeUint32(head, 2, keyVersion);
  return head;
}

/** Whether a wrapped key comes from an intake writer. */
export const isIntakeWrapped = (wrapped: Uint8Array): boolean => wrapped[0] === 2 && wrapped[1] === 1;

/** Returns the key version in the wrapped key of an intake writer, or undefined for any other bytes. */
export const intakeVersion = (wrapped: Uint8Array): number | undefined => versionIn(intakeForm, wrapped);

export function intakeParts(wrapped: Uint8Array) {
  return {
    mlKem: wrapped.subarray(versionEnd, x25519At),
    x25519: wrapped.subarray(x25519At, sealedAt),
    sealed: wrapped.subarray(sealedAt),
  };
}
