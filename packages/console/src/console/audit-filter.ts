import type { AuditAction, AuditFilter } from './audit-types.ts';

/** The filter as the form has it: text, empty where nothing was chosen. */
export interface FilterTexts {
  readonly action: string;
  readonly keyId: string;
  /** As `datetime-local` inputs write it, in the time zone of the browser. */
  readonly from: string;
  readonly to: string;
}

/** The filter as the API takes it. */
export function filterOf({ action, keyId, from, to }: FilterTexts): AuditFilter {
  return {
    ...(action !== '' && { action: action as AuditAction }),
    ...(keyId !== '' && { key_id: keyId }),
    ...(from !== '' && { date_from: new Date(from).toISOString() }),
    // The input has minutes, and the last minute is included.
    ...(to !== '' && { date_to: new Date(new Date(to).getTime() + 59_999).toISOString() }),
  };
}

export function isFiltered(texts: FilterTexts): boolean {
  return Object.values(texts).some((text) => text !== '');
}

/** Returns the offset of a page with an entry, a few rows below its top. */
export function offsetOf(id: number, newestId: number): number {
  return Math.max(0, newestId - id - 5);
}
