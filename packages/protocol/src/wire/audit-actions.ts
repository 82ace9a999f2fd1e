// What audit entries record, and what an entry says of a row: verification and a restore go by it. No schema stands here, so the
// pages of the console have it without zod.
import type { Permission } from './permissions.ts';

/** What an action is, in words. */
export const actionTexts = {
  'key.wrap': 'data key wrapped',
  'key.unwrap': 'data key unwrapped',
  'key.create': 'key created',
  'key.rotate': 'key rotated',
  'key.disable': 'key disabled',
  'key.enable': 'key enabled',
  'key.destroy': 'key destroyed',
  'key.restore': 'key restored',
  'key.export': 'key exported',
  'key.rotation_policy': 'rotation changed',
  'key.min_version': 'older versions closed or opened',
  encrypt: 'value encrypted by the service',
  decrypt: 'value decrypted by the service',
  'envelope_only.refused': 'server mode refused',
  'api_key.create': 'API key created',
  'api_key.update': 'API key changed',
  'api_key.revoke': 'API key revoked',
  'tenant.update': 'tenant changed',
  'subject.erase': 'person erased',
  'issuer.create': 'issuer created',
  'issuer.update': 'issuer changed',
  'issuer.revoke': 'issuer revoked',
} as const;

/** The action of an audit entry. */
export type AuditAction = keyof typeof actionTexts;

/** Every action that an audit entry can record. */
export const auditActions = /* @__PURE__ */ Object.keys(actionTexts) as readonly AuditAction[];

type Members = Readonly<Record<string, unknown>>;

/** What an entry of an action says. */
interface Effect {
  /** What a caller needs whose call writes such an entry. Absent if nobody but the operator does, or if it is a refusal. */
  readonly needs?: Permission;
  /** Whether a key that is not active refuses such a call. */
  readonly needsActive?: true;
  /** Why it neither takes anything from a row nor gives it back. */
  readonly nothing?: string;
  /** What the row is of. The entry, or its metadata, has its id by this name with `_id`, and that of a person as `subject`. */
  readonly of?: 'tenant' | 'key' | 'api_key' | 'issuer' | 'subject';
  /** Makes the columns that the row has since then from what the metadata say. */
  readonly sets?: (told: Members) => Members;
  /** Instead of `sets`: the metadata have `changes` with the new values of these columns, or of any. */
  readonly changes?: 'any' | readonly string[];
  /** Whether the row is new, so that nobody can have had what it does not give. */
  readonly creates?: true;
}

const disabled = () => ({ status: 'disabled' });
const revoked = () => ({ revoked_at: true });
const closed = ({ min_version }: Members) => ({ min_version });
const destroyed = ({ erased, destroy_at }: Members) => {
  return { status: erased === true ? 'destroyed' : 'pending_destruction', destroy_at };
};
const use = 'It uses a key, and changes no row.';
const gives = 'A restore that loses the new row takes what it gave with it.';

/** What entries say, by their actions. Who adds an action decides it here: verification and `eaas audit replay` only read it. */
export const effects: Readonly<Record<AuditAction, Effect>> = {
  'key.wrap': { needs: 'encrypt', needsActive: true, nothing: use },
  'key.unwrap': { needs: 'decrypt', nothing: use },
  // Only that of a key which was imported says its status.
  'key.create': { needs: 'keys.manage', of: 'key', creates: true, sets: ({ status }) => ({ status }) },
  'key.rotate': { needs: 'keys.manage', needsActive: true, nothing: 'Older versions open as before.' },
  'key.disable': { needs: 'keys.manage', of: 'key', sets: disabled },
  'key.enable': { needs: 'keys.manage', of: 'key', sets: () => ({ status: 'active' }) },
  'key.destroy': { needs: 'keys.destroy', of: 'key', sets: destroyed },
  'key.restore': { needs: 'keys.destroy', of: 'key', sets: disabled },
  'key.export': { needs: 'keys.export', nothing: use },
  'key.rotation_policy': { needs: 'keys.manage', nothing: 'Who may use which version stays as it is.' },
  'key.min_version': { needs: 'keys.manage', needsActive: true, of: 'key', sets: closed },
  encrypt: { needs: 'encrypt', needsActive: true, nothing: use },
  decrypt: { needs: 'decrypt', nothing: use },
  'envelope_only.refused': { nothing: 'It is a refusal.' },
  'api_key.create': { needs: 'api_keys.manage', nothing: gives },
  'api_key.update': { needs: 'api_keys.manage', of: 'api_key', changes: 'any' },
  'api_key.revoke': { needs: 'api_keys.manage', of: 'api_key', sets: revoked },
  // A name takes nothing, and a quota only for a month.
  'tenant.update': { of: 'tenant', changes: ['envelope_only'] },
  'subject.erase': { needs: 'subjects.erase', of: 'subject', sets: () => ({ erased_id: true }) },
  'issuer.create': { needs: 'api_keys.manage', nothing: gives },
  'issuer.update': { needs: 'api_keys.manage', of: 'issuer', changes: 'any' },
  'issuer.revoke': { needs: 'api_keys.manage', of: 'issuer', sets: revoked },
};

/** What entries of an action say. A log can have any text as an action. */
export const effectOf = (action: string): Effect | undefined =>
  Object.hasOwn(effects, action) ? effects[action as AuditAction] : undefined;

/**
 * Returns which row an entry is about, and the columns that the row has since then, or undefined if it says nothing of one.
 * Of a change whose value the entry does not have, the column is `true`.
 */
export function effectIn(entry: { readonly action: string; readonly key_id: string | null }, told: Members) {
  const { of, sets, changes, creates } = effectOf(entry.action) ?? {};
  if (!of || told['outcome'] === 'refused') return undefined;
  const changed = Object.entries(Object(told['changes']) as Members)
    .filter(([column]) => changes === 'any' || changes?.includes(column))
    .map(([column, change]) => [column, (Object(change) as Members)['new']]);
  const columns: Members = sets?.(told) ?? Object.fromEntries(changed);
  const id = ({ subject_id: told['subject'], ...told, ...entry } as Members)[`${of}_id`];
  return typeof id === 'string' && Object.keys(columns).length > 0 ? { of, id, columns, creates } : undefined;
}
