import { parseEnvelope, toUtf8 } from '@eaas/protocol';
import { fromBase64 } from '@eaas/protocol/base64';
import type { Settled } from '../errors.ts';
import type { Calls } from './calls.ts';
import { reason } from './reason.ts';
import { type Conversion, type Convert, failedWith, kept, unsuitable } from './convert.ts';
import { at, type EncryptPlan, type Sealing } from './plan.ts';
import { formOf, inFormOf } from './stored-form.ts';
import type { StoredRow } from './store.ts';
import type { Proof } from './verify.ts';

/** Makes envelopes of plaintexts, and leaves what is one. */
export function encrypting<Row extends StoredRow>(
  plan: EncryptPlan<Row>,
  { calls, proof }: { readonly calls: Calls; readonly proof: Proof | undefined },
): Convert<Row> {
  return async (values) => {
    const kinds = values.map(({ stored }) => formOf(stored).kind);
    const plain = values.filter((_, index) => kinds[index] === 'plaintext');
    const asked = plain.map((value) => ({ value: value.stored, sealing: at(plan.to, value) }));
    const sealed = await calls.seal(asked);
    const conversions = await Promise.all(
      asked.map(({ value, sealing }, index) =>
        proven(sealed[index], { value, stored: value, sealing }, proof),
      ),
    );
    return kinds.map((kind) => {
      if (kind === 'broken') return unsuitable(kind);
      return kind === 'plaintext' ? (conversions.shift() ?? failedWith('invalid_response')) : kept;
    });
  };
}

/** What was sealed in the form of what is stored, when it holds. */
export async function proven(
  sealed: Settled<string> | undefined,
  from: {
    readonly value: string | Uint8Array;
    readonly stored: string | Uint8Array;
    readonly sealing: Sealing;
    readonly keyVersion?: number | undefined;
  },
  proof: Proof | undefined,
): Promise<Conversion> {
  if (!sealed?.ok) return { kind: 'failed', error: sealed?.error ?? reason('invalid_response') };
  const bytes = fromBase64(sealed.value);
  if (parseEnvelope(bytes).keyVersion < (from.keyVersion ?? 0)) return failedWith('key_version');
  const { value, stored, sealing } = from;
  const problem = await proof?.opens(bytes, typeof value === 'string' ? toUtf8(value) : value, sealing);
  return problem ?? { kind: 'converted', value: inFormOf(stored, bytes) };
}
