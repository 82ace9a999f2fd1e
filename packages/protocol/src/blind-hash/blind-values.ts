import { readBase64, toBase64 } from '../base64.ts';
import { pae } from '../pae.ts';
import type { Steps } from '../wire/json.ts';
import { type BlindedValues, blindWith } from './client.ts';
import type { CurveEngine } from './multiply.ts';

/**
 * Blinds the values of one request. This generator and `finish` yield after each value, because one value takes up to
 * 10 ms. The caller can then let other work run.
 */
export function blindValues(
  engine: CurveEngine,
  values: readonly Uint8Array[],
  draw?: () => bigint,
): Steps<BlindedValues> {
  return blindWith({ engine, pae, readBase64, toBase64 }, values, draw);
}
