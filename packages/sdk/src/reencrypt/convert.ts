import { EaasError, FormatError, type Wrapped } from '@eaas/protocol';
import { isSubjectWrapped } from '@eaas/protocol/internal';
import type { SdkError, Settled } from '../errors.ts';
import type { CustomPlan, Opening, Place, ReencryptClient, Sealing } from './plan.ts';
import { type Form, formOf, type StoredRow } from './store.ts';

/** The code of an SDK error, or a code that only `reencrypt` uses. */
export type FailureCode = SdkError['code'] | keyof typeof ownReasons;

const ownReasons = {
  invalid_response: 'the client returned no result for this value',
  key_version: 'the new data key has an older version than `keyVersion`: rotate the key, or use a new client',
  not_verified: 'the new ciphertext does not decrypt to the stored value, so it was not written',
  conflict: 'another program changed the row during each attempt: run this job again',
  store: '`write` threw at every attempt for this row: log the error in `write`',
} as const;

export class ConversionError extends EaasError {
  override readonly name = 'ConversionError';
  readonly code: keyof typeof ownReasons;

  constructor(code: keyof typeof ownReasons, reason: string = ownReasons[code]) {
    super(reason);
    this.code = code;
  }
}

export function unsuitable(kind: Form['kind']): FormatError {
  if (kind === 'plaintext')
    return new FormatError(
      'the stored value is not encrypted: call `reencrypt` with the mode `encrypt` to encrypt it',
    );
  if (kind === 'stream')
    return new FormatError(
      'the stored value is an encrypted stream, which this mode cannot convert: use the mode `custom`',
    );
  return new FormatError(
    'the stored value begins like a ciphertext but is not valid: check whether the database column is too short for it',
  );
}

interface Value<Row extends StoredRow> extends Place<Row> {
  readonly stored: string | Uint8Array;
}

export type Convert<Row extends StoredRow> = (value: Value<Row>) => Promise<string | Uint8Array | undefined>;

export interface RowOutcome {
  readonly changed?: StoredRow['values'] | undefined;
  /** Whether the row has a ciphertext of an erased person, which nobody can convert. */
  readonly isErased?: boolean;
  readonly failures: readonly { readonly field?: string | undefined; readonly error: EaasError }[];
}

export type ConvertRow<Row extends StoredRow> = (row: Row) => Promise<RowOutcome>;

export function byValue<Row extends StoredRow>(convert: Convert<Row>): ConvertRow<Row> {
  return async (row) => {
    const outcomes = await Promise.all(
      Object.entries(row.values).map(async ([field, stored]): Promise<RowOutcome> => {
        if (stored === null || stored === undefined) return { failures: [] };
        return settleAs(row, field, async () => {
          const value = await convert({ row, field, stored });
          return value === undefined ? undefined : { [field]: value };
        });
      }),
    );
    const changes = outcomes.flatMap(({ changed = {} }) => Object.entries(changed));
    const failures = outcomes.flatMap((outcome) => outcome.failures);
    const isErased = outcomes.some((outcome) => outcome.isErased);
    return { changed: changes.length > 0 ? Object.fromEntries(changes) : undefined, isErased, failures };
  };
}

export function byRow<Row extends StoredRow>({ convert }: CustomPlan<Row>): ConvertRow<Row> {
  return (row) => settleAs(row, undefined, async () => definedOnly(await convert(row)));
}

/** Drops undefined members, because some database drivers would write NULL for them. */
function definedOnly(values: RowOutcome['changed']): RowOutcome['changed'] {
  const changes = Object.entries(values ?? {}).filter(([, value]) => value !== undefined);
  return changes.length > 0 ? Object.fromEntries(changes) : undefined;
}

async function settleAs(
  { values }: StoredRow,
  named: string | undefined,
  work: () => Promise<RowOutcome['changed']>,
): Promise<RowOutcome> {
  try {
    return { changed: await work(), failures: [] };
  } catch (error) {
    if (!(error instanceof EaasError)) throw error;
    const field = named ?? (error as { field?: string }).field;
    // Anything else for an erased person, such as a plaintext, can still be read: it is a failure.
    const form = formOf(values[field ?? '']);
    const isOfPerson = 'header' in form && isSubjectWrapped(form.header.wrappedKey);
    if (error.code === 'subject_erased' && isOfPerson) return { isErased: true, failures: [] };
    return { failures: [{ field, error }] };
  }
}

/** What unwraps a data key. */
export type DataKeyOf = Pick<Opening, 'wrapContext' | 'subject'>;

export type ValueCalls = ReturnType<typeof callsOf>;

export function callsOf(client: ReencryptClient, signal: AbortSignal | undefined) {
  return {
    keyId: client.keyId,
    seal: (value: string | Uint8Array, sealing: Sealing) =>
      first(client.encryptMany([value], { ...sealing, signal })),
    open: (bytes: Uint8Array, opening: Opening) => first(client.decryptMany([bytes], { ...opening, signal })),
    rewrap: (bytes: Uint8Array, of: DataKeyOf) => first(client.rewrapMany([bytes], { ...of, signal })),
    unwrap: (wrapped: Wrapped, { wrapContext, subject }: DataKeyOf) =>
      // The data key of nobody, such as one that an intake writer wrapped, opens without the subject it will belong to.
      client.unwrap(wrapped, {
        wrapContext,
        ...(subject !== undefined && isSubjectWrapped(wrapped.wrappedKey) && { subject }),
        signal,
      }),
  };
}

async function first<T>(results: Promise<Settled<T>[]>): Promise<T> {
  const [result] = await results;
  if (result?.ok) return result.value;
  throw result?.error ?? new ConversionError('invalid_response');
}
