import { EaasError } from '@eaas/protocol';
import { readBase64, toBase64 } from '@eaas/protocol/base64';
import type { BlindedValues, CurveEngine } from '@eaas/protocol/blind-hash';
import { blindWith, proofErrors } from '@eaas/protocol/internal-blind-hash';
import type { Steps } from '@eaas/protocol/service';

export const { ProofError } = proofErrors(EaasError);

export function blindValues(
  engine: CurveEngine,
  values: readonly Uint8Array[],
  draw?: () => bigint,
): Steps<BlindedValues> {
  return blindWith({ engine, readBase64, toBase64, ProofError }, values, draw);
}
