// Audit entries as operations draft them: the log adds their ids and hashes. And what changes of rows have in common: what
// they set, and which values an entry shows.
import { canonicalJson } from '@eaas/protocol/audit';
import type { Context } from '@eaas/protocol';
import { utf8Length } from '@eaas/protocol/internal';
import type { Draft } from '@eaas/protocol/internal-service';
import { type AuditAction, formatTimestamp, limits } from '@eaas/protocol/wire';
import { auditUnwritten, type Refusal } from './refusal.ts';

export type { Draft } from '@eaas/protocol/internal-service';

type Named = Pick<Draft, 'key_id' | 'key_version'>;
type Told = Readonly<Record<string, unknown>>;

/** Drafts the entry about a key. */
export function keyDraft(action: AuditAction, { key_id, key_version }: Named, told: Told = {}): Draft {
  const metadata = canonicalJson(defined(told));
  const length = utf8Length(metadata);
  if (length > limits.metadata) {
    const most = `the metadata of an audit entry must have at most ${limits.metadata} bytes`;
    throw auditUnwritten(new RangeError(`${most} (got ${length})`));
  }
  return { action, key_id, key_version, metadata, isRefused: told['outcome'] === 'refused' };
}

/** As `keyDraft`, of a call that succeeded, with numbers to tell, in the order of their names: most calls are such. */
export const plainDraft = (
  action: AuditAction,
  { key_id, key_version }: Named,
  told: Readonly<Record<string, number | undefined>>,
): Draft => ({ action, key_id, key_version, metadata: textOf(told), isRefused: false });

/** As JSON.stringify, in a fifth of the time. */
function textOf(told: Readonly<Record<string, number | undefined>>): string {
  let text = '';
  for (const name in told) if (told[name] !== undefined) text += `${text && ','}"${name}":${told[name]}`;
  return `{${text}}`;
}

/** Drafts an entry about the tenant itself. */
export const tenantDraft = (action: AuditAction, told: Told): Draft =>
  keyDraft(action, { key_id: null, key_version: null }, told);

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

/** A change of a row: what its entry is called, the columns that are set, and what the entry says beside the row's id. */
export type Change<Row> = readonly [action: AuditAction, set: Partial<Row>, told?: object];

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

/** Writes a time as the API does, or null. */
export const timeOrNull = (time: number | null): string | null =>
  time === null ? null : formatTimestamp(time);
