// Rows as the API shows them.
// Operations answer with these records.
import { type Output, formatTimestamp } from '@eaas/protocol/wire';
import { type ApiKeyRow, apiKeys, type KeyRow, keys, type Table } from '../ledger/tables.ts';
import type { Field } from '../plugin.ts';
import { auditValue } from './draft.ts';

const hidden: ReadonlySet<string> = new Set(['tenant_id', 'created_id', 'rev']);

/** A row as the API shows it: times are text, and bytes are never shown. */
export function shownRow<Row>({ columns, types }: Table<Row>, row: Row) {
  const shown = columns.filter((name) => !hidden.has(name) && !types?.[name]?.startsWith('bytes'));
  return Object.fromEntries(shown.map((name) => [name, auditValue(name, row[name])]));
}

/** Returns a key as the API shows it, with those columns of plugins that it shows. */
export function keyRecord(key: KeyRow, fields: readonly Field[]): Output<'POST /v1/keys'> {
  const ofPlugins = fields.filter(({ isShown }) => isShown);
  const columns = ofPlugins.map(({ column, initial }) => [column, Reflect.get(key, column) ?? initial]);
  const { interval_days, ...record } = shownRow(keys, key);
  const rotation_policy = interval_days === null ? null : { interval_days };
  return { ...record, rotation_policy, ...Object.fromEntries(columns) } as Output<'POST /v1/keys'>;
}

/** Returns an API key as the API shows it. */
export const apiKeyRecord = (row: ApiKeyRow, lastUsedAt: number | null) =>
  ({ ...shownRow(apiKeys, row), last_used_at: timeOrNull(lastUsedAt) }) as ApiKeyRecord;

type ApiKeyRecord = Output<'GET /v1/api-keys/:api_key_id'>;

/** Writes a time as the API does, or null. */
export const timeOrNull = (time: number | null): string | null =>
  time === null ? null : formatTimestamp(time);
