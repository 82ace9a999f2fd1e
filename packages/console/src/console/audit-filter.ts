import { parseUuid } from '@eaas/protocol';
import type { AuditAction, AuditFilter } from './audit-types.ts';
import { looksLikeId } from './people-find.ts';

/** The value of the options "Another key…" and "Another API key…", for keys that the list does not contain. */
export const otherKey = 'other';

export interface FilterTexts {
  readonly action: string;
  readonly key: string;
  readonly otherKeyId: string;
  readonly actor: string;
  readonly otherActorId: string;
  readonly subject: string;
  readonly user: string;
  readonly from: string;
  readonly to: string;
}

export function filterOf({ action, key, otherKeyId, subject, user, from, to }: FilterTexts): AuditFilter {
  const keyId = key === otherKey ? (idIn(otherKeyId) ?? '') : key;
  return {
    ...(action !== '' && { action: action as AuditAction }),
    ...(keyId !== '' && { key_id: keyId }),
    ...(looksLikeId(subject) && { subject_id: subject.trim() }),
    ...(looksLikeId(user) && { user_id: user.trim() }),
    ...(from !== '' && { date_from: new Date(from).toISOString() }),
    // The form's end time has no seconds, so the filter includes the whole last minute.
    ...(to !== '' && { date_to: new Date(new Date(to).getTime() + 59_999).toISOString() }),
  };
}

/** The chosen actor, which the API cannot filter by. */
export function actorOf({ actor, otherActorId }: FilterTexts): string | undefined {
  return actor === otherKey ? idIn(otherActorId) : actor || undefined;
}

export function isFiltered(texts: FilterTexts): boolean {
  return Object.keys(filterOf(texts)).length > 0 || actorOf(texts) !== undefined;
}

export function idIn(text: string): string | undefined {
  return parseUuid(text.trim());
}

export function offsetOf(id: number, newestId: number): number {
  return Math.max(0, newestId - id - 5);
}
