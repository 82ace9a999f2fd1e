// Audit entries as operations draft them: the log adds their ids and hashes. And what changes of rows have in common: when
// they happen, and which values an entry shows.
import { canonicalJson } from '@eaas/protocol/audit';
import type { Context } from '@eaas/protocol';
import { utf8Length } from '@eaas/protocol/internal';
import type { Draft } from '@eaas/protocol/internal-service';
import { type AuditAction, formatTimestamp, limits } from '@eaas/protocol/wire';
import type { View } from '../ledger/decision.ts';
import { auditUnwritten, type Refusal } from './refusal.ts';

export type { Draft } from '@eaas/protocol/internal-service';

type Metadata = Readonly<Record<string, unknown>>;

/** Drafts the entry about a key. */
export function keyDraft(
  action: AuditAction,
  { key_id, key_version }: { readonly key_id: string; readonly key_version: number | null },
  metadata: Metadata = {},
): Draft {
  return { action, key_id, key_version, ...told(metadata) };
}

/** Drafts an entry about the tenant itself. */
export function tenantDraft(action: AuditAction, metadata: Metadata): Draft {
  return { action, key_id: null, key_version: null, ...told(metadata) };
}

const told = (metadata: Metadata) => ({
  metadata: metadataText(metadata),
  isRefused: metadata['outcome'] === 'refused',
});

/** Returns the metadata of the entry about a refused call. */
export const refusalOutcome = ({ code }: Refusal) => ({ outcome: 'refused', code });

/** Returns a context as the audit log writes it: none if it is empty. */
export const logged = (context: Context | undefined): Context | undefined =>
  context && Object.keys(context).length > 0 ? context : undefined;

export function defined<T extends object>(value: T): { [Name in keyof T]?: Exclude<T[Name], undefined> } {
  const members: Record<string, unknown> = {};
  for (const [name, member] of Object.entries(value)) if (member !== undefined) members[name] = member;
  return members as { [Name in keyof T]?: Exclude<T[Name], undefined> };
}

function metadataText(metadata: Metadata): string {
  const text = canonicalJson(defined(metadata));
  if (utf8Length(text) > limits.metadata) {
    throw auditUnwritten(
      new RangeError(
        `the metadata of an audit entry must have at most ${limits.metadata} bytes (got ${utf8Length(text)})`,
      ),
    );
  }
  return text;
}

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
