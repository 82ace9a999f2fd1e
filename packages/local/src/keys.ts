import { toBase64 } from '@eaas/protocol/base64';
import { randomBytes } from '@eaas/protocol/internal';
import {
  type Changed,
  destroyed,
  disabled,
  enabled,
  exportsSubjects,
  jwkThumbprint,
  keyDraft,
  type KeyFields,
  keyRecord,
  type Moment,
  newKey,
  orRefusal,
  Refusal,
  requireExportable,
  requireStatus,
  rescheduled,
  restored,
  rotated,
  settled,
} from '@eaas/protocol/service';
import { formatTimestamp, type Input, limits, type Output } from '@eaas/protocol/wire';
import { intakePublicKeyOf } from './key-crypto.ts';
import {
  type TenantCall,
  callBy,
  type Entry,
  isDone,
  type Key,
  type Operations,
  pageOf,
  record,
  requireKey,
  type Tenant,
} from './tenant.ts';

type KeyRecord = Output<'POST /v1/keys'>;

export const keyChanges = {
  'POST /v1/keys': createKey,
  'POST /v1/keys/:key_id/rotate': changing((key, at, { key_version }) => rotated(key, at, key_version)),
  'POST /v1/keys/:key_id/disable': changing(disabled),
  'POST /v1/keys/:key_id/enable': changing(enabled),
  'DELETE /v1/keys/:key_id': changing((key, at, { grace_days }) => destroyed(key, at, grace_days)),
  'POST /v1/keys/:key_id/restore': changing(restored),
  'PUT /v1/keys/:key_id/rotation-policy': changing((key, at, { interval_days }) =>
    rescheduled(key, at, interval_days),
  ),
} satisfies Partial<Operations>;

export const keyOperations = {
  ...keyChanges,
  'GET /v1/keys/:key_id/public-key': (call, { key_id }) => {
    const key = requireKey(call, key_id);
    requireStatus(key.row, 'active');
    return {
      key_id: key.row.key_id,
      key_version: key.row.key_version,
      intake_public_key: intakePublicKeyOf(call.tenant, key),
    };
  },
  'GET /v1/keys': ({ tenant, apiKey }, { status, name, ...query }) => {
    const all = Array.from(tenant.keys.values(), (key) => key.row);
    const matching = all.filter(
      (key) =>
        (status === undefined || key.status === status) &&
        (name === undefined || key.name === name) &&
        (apiKey?.key_ids?.includes(key.key_id) ?? true),
    );
    const { items, page } = pageOf(matching, query);
    return { keys: items.map(keyRecord), ...page };
  },
  'GET /v1/keys/:key_id': (call, { key_id, limit = limits.versionsDefault, offset = 0 }) => {
    const { row, versions } = requireKey(call, key_id);
    const page = { ...keyRecord(row), versions_total: row.key_version, limit, offset };
    // Without a log nothing is counted. Zeros would say that a version was never used.
    if (!call.tenant.isComplete) return { ...page, versions: [] };
    const entries = call.tenant.log.filter((entry) => entry.key_id === row.key_id && isDone(entry));
    const uses = versions.map(({ created_at }, index) => usesOf(index + 1, created_at, entries));
    const { items } = pageOf(uses, { limit, offset });
    return { ...page, versions: items };
  },
  'POST /v1/keys/:key_id/export': exportKey,
} satisfies Partial<Operations>;

export function createKey(call: TenantCall, input: Input<'POST /v1/keys'>): KeyRecord {
  const { keys } = call.tenant;
  const nameIsTaken = Array.from(keys.values()).some(
    ({ row }) => row.name === input.name && row.status !== 'destroyed',
  );
  const known = { keyId: crypto.randomUUID(), nameIsTaken };
  const { row, draft } = newKey(input, call, known);
  const key: Key = { row, hashKey: randomBytes(32), versions: [] };
  keys.set(row.key_id, key);
  return write(call, key, { row, draft });
}

/** Whether a rotation or an erasure is due. */
export function hasDueKeys(tenant: Tenant): boolean {
  const call = callBy(tenant, 'system');
  return Array.from(tenant.keys.values()).some(({ row }) => {
    const due = orRefusal(() => settled(row, call));
    return !(due instanceof Refusal) && due.draft !== null;
  });
}

export function settleDueKeys(tenant: Tenant): void {
  for (const key of tenant.keys.values()) {
    const call = callBy(tenant, 'system');
    orRefusal(() => write(call, key, settled(key.row, call)));
  }
}

function changing<Fields extends { readonly key_id: string }>(
  rule: (key: KeyFields, at: Moment, input: Fields) => Changed<KeyFields>,
) {
  return (call: TenantCall, input: Fields): KeyRecord => {
    const key = requireKey(call, input.key_id);
    return write(call, key, rule(key.row, call, input));
  };
}

function write(call: TenantCall, key: Key, { row, draft }: Changed<KeyFields>): KeyRecord {
  key.row = row;
  const { versions } = key;
  if (row.key_version > versions.length) versions.push({ created_at: call.time, secret: randomBytes(32) });
  if (row.status === 'destroyed') {
    key.hashKey = null;
    for (const version of versions) version.secret = null;
  }
  record(call, draft);
  return keyRecord(row);
}

function usesOf(key_version: number, created_at: number, entries: readonly Entry[]) {
  const of = (...actions: readonly string[]) =>
    entries.filter((entry) => entry.key_version === key_version && actions.includes(entry.action));
  const unwraps = of('decrypt', 'key.unwrap');
  return {
    key_version,
    created_at: formatTimestamp(created_at),
    wraps: of('encrypt', 'key.wrap').length,
    unwraps: unwraps.length,
    last_unwrap_at: unwraps.at(-1)?.created_at ?? null,
  };
}

async function exportKey(
  call: TenantCall,
  input: Input<'POST /v1/keys/:key_id/export'>,
): Promise<Output<'POST /v1/keys/:key_id/export'>> {
  const { key_id, public_key, from_version = 1, from_subject = '' } = input;
  const hasSubjects = exportsSubjects(call.apiKey, input);
  const { n, e } = public_key;
  const algorithm = { name: 'RSA-OAEP', hash: 'SHA-256' };
  const publicKey = await crypto.subtle.importKey('jwk', { kty: 'RSA', n, e }, algorithm, false, ['encrypt']);
  const { row, versions, hashKey } = requireKey(call, key_id);
  requireExportable(row);
  const encrypt = async (secret: Uint8Array | null) => {
    const bytes = new Uint8Array(secret ?? []);
    return toBase64(new Uint8Array(await crypto.subtle.encrypt('RSA-OAEP', publicKey, bytes)));
  };
  const end = from_version + limits.versionsMaximum;
  const exported = await Promise.all(
    versions.slice(from_version - 1, end - 1).map(async ({ secret }, index) => ({
      key_version: from_version + index,
      encrypted: await encrypt(secret),
    })),
  );
  const hash_key = await encrypt(hashKey);
  const page = hasSubjects ? await exportedSubjects(call.tenant, from_subject, encrypt) : undefined;
  const metadata = {
    jwk_thumbprint: jwkThumbprint(public_key),
    ...(page && { subjects: page.subjects.length }),
  };
  record(call, keyDraft('key.export', row, metadata));
  const next_version = end <= row.key_version ? end : null;
  const { tenant_id } = call.tenant;
  return { tenant_id, key_id: row.key_id, versions: exported, next_version, hash_key, ...page };
}

async function exportedSubjects(
  { subjects, idKeys }: Tenant,
  from: string,
  encrypt: (secret: Uint8Array) => Promise<string>,
) {
  const { exportedSubjects: most } = limits;
  const ids = Array.from(subjects.keys())
    .filter((id) => id >= from)
    .toSorted();
  const exported = ids.slice(0, most).map(async (subject_id) => {
    const secret = subjects.get(subject_id)?.secret;
    return secret ? [{ subject_id, encrypted: await encrypt(secret) }] : [];
  });
  const subjects_key = await encrypt(idKeys.subjects);
  return { subjects: (await Promise.all(exported)).flat(), next_subject: ids[most] ?? null, subjects_key };
}
