import { having, requireArray, requireKind, requireOptions, text } from '@eaas/protocol/internal-options';
import { observed } from '../client/events.ts';
import type { FieldsClient, Row } from './internals.ts';
import { someHoldCiphertext } from './recognize-ciphertext.ts';

/** The names of a column and its table, as far as they are known. */
export interface ColumnPlace {
  readonly table?: string | undefined;
  readonly column?: string | undefined;
}

/**
 * Emits the event `unexpected_ciphertext` of the client if a value of a column holds a ciphertext. Call it with values
 * that your app did not encrypt, such as the result of raw SQL. Each column causes at most one event, because users can
 * type texts that look like ciphertexts as often as they like.
 */
export function reportCiphertexts(
  client: FieldsClient,
  place: ColumnPlace,
  values: readonly unknown[],
): void {
  requireKind(having('a client', 'encryptMany'), client, 'the first argument');
  requireOptions({ table: text, column: text }, place, 'reportCiphertexts');
  requireArray(values);
  reportIn(client, place, values);
}

/** Reports the columns of rows, except the columns in `known`. */
export function reportRows(
  client: FieldsClient,
  table: string,
  rows: readonly Row[],
  known: ReadonlySet<string>,
): void {
  if (!observed.has(client)) return;
  const columns = new Set<string>();
  for (const row of rows) for (const column in row) if (!known.has(column)) columns.add(column);
  for (const column of columns) {
    reportIn(
      client,
      { table, column },
      rows.map((row) => row[column]),
    );
  }
}

const reported = new WeakMap<FieldsClient, Set<string>>();
const mostColumns = 1_000;
const mostMembers = 1_000;

function reportIn(client: FieldsClient, { table, column }: ColumnPlace, values: readonly unknown[]): void {
  const emit = observed.get(client);
  if (!emit) return;
  const known = reported.get(client) ?? new Set();
  const place = JSON.stringify([table, column]);
  if (known.has(place) || known.size === mostColumns || !someHoldCiphertext(values, mostMembers)) return;
  reported.set(client, known.add(place));
  emit({ type: 'unexpected_ciphertext', table, column });
}
