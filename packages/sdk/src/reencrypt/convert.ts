import type { Place } from './plan.ts';
import { type Reason, reason } from './reason.ts';
import type { StoredRow } from './store.ts';
import type { Form } from './stored-form.ts';

/** A stored value, and where it stands. */
export interface Value<Row extends StoredRow> extends Place<Row> {
  readonly stored: string | Uint8Array;
}

/** What becomes of a value. */
export type Conversion =
  | { readonly kind: 'kept' }
  | { readonly kind: 'converted'; readonly value: string | Uint8Array }
  | { readonly kind: 'failed'; readonly error: Reason };

/** Converts the values of a page, in order. Throws what concerns all of them. */
export type Convert<Row extends StoredRow> = (values: readonly Value<Row>[]) => Promise<Conversion[]>;

export const kept: Conversion = { kind: 'kept' };

export function failedWith(code: Parameters<typeof reason>[0]): Conversion {
  return { kind: 'failed', error: reason(code) };
}

/** What a value is that a mode cannot do anything with. */
export function unsuitable(kind: Form['kind']): Conversion {
  const message =
    kind === 'plaintext'
      ? 'the value is not encrypted'
      : kind === 'stream'
        ? 'the value is a stream (version 2): open and seal it as one'
        : 'the value begins like an envelope and is none: it may have been cut short';
  return { kind: 'failed', error: { code: 'format', message } };
}
