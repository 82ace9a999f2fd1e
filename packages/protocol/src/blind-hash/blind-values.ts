import { readBase64, toBase64 } from '../base64.ts';
import { pae } from '../pae.ts';
import type { Steps } from '../wire/json.ts';
import { type BlindedValues, blindWith } from './client.ts';
import type { CurveEngine } from './multiply.ts';

/** Blinds the values of one request. Yields after each value, because a value takes up to 10 ms. */
export function blindValues(
  engine: CurveEngine,
  values: readonly Uint8Array[],
  draw?: () => bigint,
): Steps<BlindedValues> {
  return blindWith({ engine, pae, readBase64, toBase64 }, values, draw);
}
