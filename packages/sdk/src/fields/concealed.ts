// Concealed values: what a read returns for a field that is `concealed()`, and how the app reveals them. A handle holds what is
// stored, where that is, and who read it. Nothing is decrypted before somebody asks.
import { type OptionRules, type Rule, requireArray, requireOptions } from '@eaas/protocol/internal';
import { inspect } from '../client/inside.ts';
import { resultOf } from '../errors.ts';
import type { CallOptions } from '../http/transport.ts';
import type { SettledRow } from './decrypt-rows.ts';
import { callByGroup, type FieldsClient, type Row } from './internals.ts';
import { type FieldPlan, requireRows } from './plan.ts';
import type { Flat } from './row-types.ts';

/** Tells a handle, and what it holds. An app can have two copies of the SDK, whose symbols are the same. */
const held: unique symbol = Symbol.for('@eaas/sdk concealed');
/** How an encrypted database says by which client it reads. */
export const clientOf: unique symbol = Symbol.for('@eaas/sdk client');

/** What a handle shows. */
export const concealedText = '[concealed]';

/** A stored value that was read as a handle. */
export interface Held {
  readonly plan: FieldPlan;
  /** The column in the row, which can have another name than the field. */
  readonly column: string;
  readonly value: unknown;
  readonly stored: Row;
  readonly id: string | undefined;
  readonly reader: {
    /** Whether each person's values need a data key of their own. */
    readonly isOfPeople: boolean;
    /** Opens values that the same call has read, with one call. */
    readonly open: (all: readonly Held[], options: OpenOptions) => Promise<SettledRow<Row>[]>;
  };
}

/** Who reveals a value. */
export interface RevealOptions extends CallOptions {
  /**
   * On whose behalf: a client (`eaas.as(user)`) or an encrypted database (`db.as(user)`, `prisma.$as(user)`). By default, the one
   * that read the row.
   */
  readonly by?: Revealer | undefined;
}

/** A client, or a database that reads by one. */
type Revealer = FieldsClient | { readonly [clientOf]: () => FieldsClient };

/** `failuresAsNull` reads a value that cannot be decrypted as null, unless the `onError` of the read returns another. */
export interface OpenOptions extends RevealOptions {
  readonly failuresAsNull?: true;
}

const openOptions: OptionRules<OpenOptions> = {
  by: (value) =>
    [clientOf, 'decryptMany'].some((member) => member in Object(value)) ||
    'a client or an encrypted database',
  signal: 'signal',
  failuresAsNull: 'flag',
};

/**
 * The value of a field that is `concealed()`, in a row that was read. No log, response or prompt that holds the row shows it.
 *
 * @example
 * ```ts
 * import { defineFields, field } from '@eaas/sdk/fields';
 *
 * const records = defineFields({ patients: { ssn: field.text().concealed() } }).for(eaas);
 * const stored = await records.encryptRow('patients', '7', { ssn: '123-45-6789' });
 * const patient = await records.decryptRow('patients', '7', stored);
 * console.log(JSON.stringify(patient)); // {"ssn":"[concealed]"}
 * console.log(await patient.ssn.reveal()); // 123-45-6789
 * ```
 */
export class Concealed<T> {
  readonly #held: Held;

  /** @ignore */
  constructor(all: Held) {
    this.#held = all;
  }

  /** Decrypts the value, and does not keep it. Throws FieldError, and EncryptedTableError if the client needs a user. */
  async reveal(options: RevealOptions = {}): Promise<T> {
    const [row] = await reveal([{ value: this }], ['value'], options);
    return row?.value as T;
  }

  /** Returns `[concealed]`. */
  toString(): string {
    return concealedText;
  }

  /** Returns `[concealed]`. */
  toJSON(): string {
    return concealedText;
  }

  /** Returns `[concealed]`. Throws TypeError where a number is asked for. */
  [Symbol.toPrimitive](hint: string): string {
    if (hint === 'number') throw new TypeError('a concealed value is no number: reveal it first');
    return concealedText;
  }

  private [inspect](): string {
    return `Concealed { ${this.#held.plan.place} }`;
  }

  private [held](): Held {
    return this.#held;
  }
}

/** What a handle holds, or undefined for another value. */
export const heldIn = (value: unknown): Held | undefined =>
  typeof value === 'object' && value !== null && held in value
    ? (value as { [held]: () => Held })[held]()
    : undefined;

/** The type of a row in which columns are revealed. `Missing` stands for a value that cannot be. */
export type RevealedRow<Row, Name, Missing = never> = Flat<{
  [Column in keyof Row]: Column extends Name ? Revealed<Row[Column], Missing> : Row[Column];
}>;
type Revealed<Value, Missing> = Value extends Concealed<infer T> ? T | Missing : Value;

/**
 * Reveals columns of rows, with one request for all data keys. Returns new rows, whose other columns stay as they are. Throws the
 * first FieldError, unless the `onError` of the read says what stands for a value.
 *
 * @example
 * ```ts
 * import { defineFields, field, reveal, unencrypted } from '@eaas/sdk/fields';
 *
 * const patients = { ...unencrypted('id'), ssn: field.text().concealed() };
 * const records = defineFields({ patients }).for(eaas);
 * const stored = [await records.encryptRow('patients', '7', { id: '7', ssn: '123-45-6789' })];
 * const rows = await records.decryptRows('patients', stored, ({ id }) => id);
 * const [shown] = await reveal(rows, ['ssn'], { by: eaas.as('nurse-3') });
 * console.log(shown?.ssn); // 123-45-6789
 * ```
 */
export async function reveal<Read extends object, const Name extends keyof Read>(
  rows: readonly Read[],
  columns: readonly Name[],
  options: RevealOptions = {},
): Promise<RevealedRow<Read, Name>[]> {
  requireRows(rows);
  requireArray(columns);
  requireOptions(openOptions, options, 'reveal');
  const copies = rows.map((row) => ({ ...row }) as Row);
  const cells: (Held & { readonly row: Row; readonly name: string })[] = [];
  for (const row of copies) {
    for (const name of columns.map(String)) {
      const held = heldIn(row[name]);
      if (held) cells.push({ ...held, row, name });
    }
  }
  const readerOf = ({ reader }: Held) => reader;
  const opened = await callByGroup(cells, readerOf, async (own, { open }) => open(own, options));
  for (const [at, { row, name, column }] of cells.entries()) row[name] = resultOf(opened[at])[column];
  return copies as RevealedRow<Read, Name>[];
}

export const revealRule: Rule = (value) =>
  value === true || Array.isArray(value) || 'true, or the names of columns';
