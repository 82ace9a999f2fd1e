// What calls of the audit log ask for, and what they get.
import { isDate, type OptionRules, type Rule } from '@eaas/protocol/internal';
import type { AuditAction, Input, Output } from '@eaas/protocol/wire';
import { keyId } from '../caller.ts';
import { load } from '../errors.ts';
import type { PagesOptions } from '../http/listing.ts';
import type { report } from './list.ts';

/** A page of the audit log. */
export type AuditPage = Output<'GET /v1/audit'>;
/** An entry of the audit log. */
export type AuditEntry = AuditPage['logs'][number];

/**
 * A filter for audit entries. `date_from` and `date_to` are inclusive. A date as text must have the format of RFC 3339,
 * with a time.
 */
export interface AuditFilter {
  readonly key_id?: string | undefined;
  readonly action?: AuditAction | undefined;
  /** The id of an API key or an issuer, `operator` or `system`. */
  readonly actor?: string | undefined;
  /** The id of a subject, whole or its first half, 32 hexadecimal characters, as `metadata.subject` shows it. */
  readonly subject_id?: string | undefined;
  /** The id of a user, whole or its first half, 32 hexadecimal characters, as `metadata.user` shows it. */
  readonly user_id?: string | undefined;
  readonly date_from?: Date | string | undefined;
  readonly date_to?: Date | string | undefined;
}

/** A filter for audit entries, with the size and the offset of the page. */
export interface AuditPageQuery extends AuditFilter {
  readonly limit?: number | undefined;
  readonly offset?: number | undefined;
}

/** Options of `audit.list`. */
export interface AuditListOptions extends PagesOptions {
  /** Whether the newest or the oldest entry comes first. Defaults to `newest`, and with `from` to `oldest`. */
  readonly order?: 'newest' | 'oldest' | undefined;
  /** The id of the oldest entry to list. Those before it are not read. */
  readonly from?: number | undefined;
}

const time: Rule = (value) =>
  typeof value === 'string' ||
  (isDate(value) && !Number.isNaN(value.getTime())) ||
  'a string or a valid Date';

export const filterRules: OptionRules<AuditFilter> = {
  key_id: keyId,
  action: 'text',
  actor: 'text',
  subject_id: 'text',
  user_id: 'text',
  date_from: time,
  date_to: time,
};

/** Loads what lists the audit log, and records of other kinds. */
export const loadLists = () => load('the audit log', import('./list.ts'));

/** Yields the report on a person, or without a name on the signed-in user: with `isOwn`, on nobody else. */
export async function* reportOf(...of: Parameters<typeof report>): ReturnType<typeof report> {
  yield* (await loadLists()).report(...of);
}

/** Writes dates as the API takes them, and leaves out what is undefined. */
export const queryOf = (query: AuditPageQuery) => JSON.parse(JSON.stringify(query)) as Input<'GET /v1/audit'>;
