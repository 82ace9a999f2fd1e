import type { AuditAction, AuditFilter } from './audit-types.ts';

export interface FilterTexts {
  readonly action: string;
  readonly keyId: string;
  readonly from: string;
  readonly to: string;
}

export function filterOf({ action, keyId, from, to }: FilterTexts): AuditFilter {
  return {
    ...(action !== '' && { action: action as AuditAction }),
    ...(keyId !== '' && { key_id: keyId }),
    ...(from !== '' && { date_from: new Date(from).toISOString() }),
    // The form's end time has no seconds, so the filter includes the whole last minute.
    ...(to !== '' && { date_to: new Date(new Date(to).getTime() + 59_999).toISOString() }),
  };
}

export function isFiltered(texts: FilterTexts): boolean {
  return Object.values(texts).some((text) => text !== '');
}

export function offsetOf(id: number, newestId: number): number {
  return Math.max(0, newestId - id - 5);
}
