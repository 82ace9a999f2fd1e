import { type Convert, failedWith, type Value } from './convert.ts';
import type { CustomPlan } from './plan.ts';
import type { Reason } from './reason.ts';
import type { StoredRow } from './store.ts';

/** What becomes of a row: the fields that change, and those that could not be converted. */
export interface RowConversion {
  readonly changed?: StoredRow['values'] | undefined;
  readonly failures: readonly { readonly field?: string; readonly reason: Reason }[];
}

/** Converts the rows of a page, in order. Throws what concerns all of them. */
export type ConvertRows<Row extends StoredRow> = (rows: readonly Row[]) => Promise<RowConversion[]>;

/** Converts each value of a row by itself. */
export function byValue<Row extends StoredRow>(convert: Convert<Row>): ConvertRows<Row> {
  return async (rows) => {
    const values = rows.flatMap((row) => valuesOf(row));
    const conversions = (await convert(values)).values();
    return rows.map((row) => {
      const changed: Record<string, string | Uint8Array> = {};
      const failures: { field: string; reason: Reason }[] = [];
      for (const { field } of valuesOf(row)) {
        const { value: conversion = failedWith('invalid_response') } = conversions.next();
        if (conversion.kind === 'converted') changed[field] = conversion.value;
        else if (conversion.kind === 'failed') failures.push({ field, reason: conversion.error });
      }
      return { ...(Object.keys(changed).length > 0 && { changed }), failures };
    });
  };
}

/** Converts whole rows by the application's own function, all of a page at the same time. */
export function byRow<Row extends StoredRow>({ convert }: CustomPlan<Row>): ConvertRows<Row> {
  return (rows) =>
    Promise.all(
      rows.map(async (row): Promise<RowConversion> => {
        try {
          return { changed: await convert(row), failures: [] };
        } catch (error) {
          if (!isReason(error)) throw error;
          return { failures: [{ ...(error.field !== undefined && { field: error.field }), reason: error }] };
        }
      }),
    );
}

function valuesOf<Row extends StoredRow>(row: Row): Value<Row>[] {
  return Object.entries(row.values).flatMap(([field, stored]) =>
    stored === null || stored === undefined ? [] : [{ row, field, stored }],
  );
}

/** The SDK's errors say of a value what is wrong with it; any other is a mistake in the function, and ends the run. */
function isReason(error: unknown): error is Reason & { readonly field?: string } {
  return (
    error instanceof Error &&
    ownNames.has(error.name) &&
    typeof (error as { code?: unknown }).code === 'string'
  );
}

const ownNames = new Set(['EaasError', 'FieldError', 'DecryptionError', 'FormatError', 'InputError']);
