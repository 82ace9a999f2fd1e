// What changes of rows have in common: when they happen, and which values an entry shows.
// The rules of keys, API keys and plugins are made of it.
import { formatTimestamp } from '@eaas/protocol/wire';
import type { View } from '../ledger/decision.ts';
import { defined, type Draft, tenantDraft } from './draft.ts';

/** When a change happens: its time, and the id of its audit entry. */
export type Moment = Pick<View, 'now' | 'entryId'>;

/** The row after a change, and the audit entry about it. */
export interface Changed<Row> {
  readonly row: Row;
  readonly draft: Draft | null;
}

/** The change of a row that the entry names, as API keys and issuers are. */
export function changedRow<Row extends { readonly rev: number }>(
  action: Draft['action'],
  before: Row,
  set: Partial<Row>,
  { entryId }: Moment,
  told: object,
): Changed<Row> {
  const row = { ...before, ...set, rev: entryId };
  return { row, draft: tenantDraft(action, { ...told, previous_change: before.rev }) };
}

/** Returns the old and the new value of each field that a change sets, as the audit log shows them. */
export function changesOf(before: object, set: object): object | undefined {
  const changes = Object.entries(defined(set)).flatMap(([name, value]: [string, unknown]) => {
    const old: unknown = Reflect.get(before, name);
    return isSame(old, value) ? [] : [[name, { old: auditValue(name, old), new: auditValue(name, value) }]];
  });
  return changes.length > 0 ? Object.fromEntries(changes) : undefined;
}

function isSame(old: unknown, value: unknown): boolean {
  if (!Array.isArray(old) || !Array.isArray(value)) return old === value;
  return old.length === value.length && old.every((item) => value.includes(item));
}

/** Returns a value of a row as entries and records show it: times are text. */
export function auditValue(name: string, value: unknown): unknown {
  return typeof value === 'number' && name.endsWith('_at') ? formatTimestamp(value) : value;
}
