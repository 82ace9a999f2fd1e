import type { AuditAction, AuditFilter } from './audit-types.ts';

/** The texts in the inputs of the filter form. A text is empty if the user chose nothing. */
export interface FilterTexts {
  readonly action: string;
  readonly keyId: string;
  /** A date in the format of `datetime-local` inputs, in the time zone of the browser. */
  readonly from: string;
  readonly to: string;
}

/** Converts the texts of the form to the filter of the API. */
export function filterOf({ action, keyId, from, to }: FilterTexts): AuditFilter {
  return {
    ...(action !== '' && { action: action as AuditAction }),
    ...(keyId !== '' && { key_id: keyId }),
    ...(from !== '' && { date_from: new Date(from).toISOString() }),
    // The input has no seconds, so the filter includes the whole last minute.
    ...(to !== '' && { date_to: new Date(new Date(to).getTime() + 59_999).toISOString() }),
  };
}

export function isFiltered(texts: FilterTexts): boolean {
  return Object.values(texts).some((text) => text !== '');
}

/** Returns the offset of the page that shows an entry in its sixth row. */
export function offsetOf(id: number, newestId: number): number {
  return Math.max(0, newestId - id - 5);
}
