import { type Context, encodeContext } from '../context.ts';
import { pae } from '../pae.ts';
import { writeUint32 } from '../bytes.ts';

export const mlKemKeyLength = 1_184;
export const publicKeyLength = 1_216;
const mlKemCiphertextLength = 1_088;

/** The first two bytes of an intake wrapped key, which a writer makes with a public key. */
const formatAndSuite = [2, 1] as const;
const headLength = 6;
const sealedAt = headLength + mlKemCiphertextLength + 32;
/** The length of an intake wrapped key in bytes. */
export const intakeWrappedLength = sealedAt + 48;
export const intakeWrappedBase64Length = 1_568;

/** The key and the version that open an intake wrapped key. */
export interface IntakePlace {
  readonly keyId: string;
  readonly keyVersion: number;
}

export const intakeKeyInfo = (tenantId: string, { keyId, keyVersion }: IntakePlace): Uint8Array =>
  pae('eaas intake key v1', tenantId, keyId, keyVersion);

export const intakeInfo = ({ keyId, keyVersion }: IntakePlace): Uint8Array =>
  pae('eaas intake v1', keyId, keyVersion);

export const intakeAad = (keyVersion: number, context: Context | undefined): Uint8Array =>
  pae(intakeHead(keyVersion), encodeContext(context));

export function intakeHead(keyVersion: number): Uint8Array {
  const head = new Uint8Array(headLength);
  head.set(formatAndSuite);
  writeUint32(head, 2, keyVersion);
  return head;
}

export const isIntakeWrapped = (wrapped: Uint8Array): boolean =>
  formatAndSuite.every((byte, at) => wrapped[at] === byte);

/** Returns the key version in the wrapped key of an intake writer, or undefined for any other bytes. */
export function intakeVersion(wrapped: Uint8Array): number | undefined {
  const isIntake = wrapped.length === intakeWrappedLength && isIntakeWrapped(wrapped);
  return isIntake ? new DataView(wrapped.buffer, wrapped.byteOffset).getUint32(2) : undefined;
}

export function intakeParts(wrapped: Uint8Array) {
  const x25519At = headLength + mlKemCiphertextLength;
  return {
    mlKem: wrapped.subarray(headLength, x25519At),
    x25519: wrapped.subarray(x25519At, sealedAt),
    sealed: wrapped.subarray(sealedAt),
  };
}
