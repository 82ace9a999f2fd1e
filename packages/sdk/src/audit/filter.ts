import { isDate, type OptionRules, type Rule, text } from '@eaas/protocol/internal-options';
import type { AuditAction } from '@eaas/protocol/wire';
import { keyId } from '../options/key-id.ts';

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

const time: Rule = (value) =>
  typeof value === 'string' ||
  (isDate(value) && !Number.isNaN(value.getTime())) ||
  'a string or a valid Date';

export const filterRules: OptionRules<AuditFilter> = {
  key_id: keyId,
  action: text,
  actor: text,
  subject_id: text,
  user_id: text,
  date_from: time,
  date_to: time,
};
