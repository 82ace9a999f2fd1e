// Turns the texts of the filter form into a query of the audit log. An id that is not whole yet does not filter.
import { parseUuid } from '@eaas/protocol';
import type { AuditEntry, AuditFilter } from '@eaas/sdk';
import { spanOf } from './months.ts';
import { looksLikeId } from './people-find.ts';

/** The value of the options "Another key…" and "Another API key…", for keys that the list does not contain. */
export const otherKey = 'other';

export const noFilter = {
  action: '',
  key: '',
  otherKeyId: '',
  actor: '',
  otherActorId: '',
  subject: '',
  user: '',
  month: '',
  from: '',
  to: '',
};

export type FilterTexts = Readonly<typeof noFilter>;

export function filterOf(texts: FilterTexts): AuditFilter {
  const { action, key, otherKeyId, subject, user, month, from, to } = texts;
  const actor = texts.actor === otherKey ? (idIn(texts.otherActorId) ?? '') : texts.actor;
  const keyId = key === otherKey ? (idIn(otherKeyId) ?? '') : key;
  return {
    ...(action !== '' && { action: action as AuditFilter['action'] }),
    ...(keyId !== '' && { key_id: keyId }),
    ...(actor !== '' && { actor }),
    ...(looksLikeId(subject) && { subject_id: subject.trim() }),
    ...(looksLikeId(user) && { user_id: user.trim() }),
    ...(month !== '' && spanOf(month)),
    ...(from !== '' && { date_from: new Date(from).toISOString() }),
    // The form's end time has no seconds, so the filter includes the whole last minute.
    ...(to !== '' && { date_to: new Date(new Date(to).getTime() + 59_999).toISOString() }),
  };
}

export const isFiltered = (texts: FilterTexts): boolean => Object.keys(filterOf(texts)).length > 0;

export const idIn = (text: string): string | undefined => parseUuid(text.trim());

export function offsetOf(id: number, newestId: number): number {
  return Math.max(0, newestId - id - 5);
}

/** A log as a file: one JSON object a line. */
export const asLines = (entries: readonly AuditEntry[]): string =>
  entries.map((entry) => `${JSON.stringify(entry)}\n`).join('');
