// Links and rows as a store sees them: no store checks what their bytes say, so these are random.
import { randomBytes, randomUUID } from 'node:crypto';
import { uuidFromBytes } from '@eaas/protocol/internal';
import {
  apiKeys,
  blocksOf,
  type HeadRow,
  keys,
  type Known,
  type Link,
  type SealedWrite,
  subjects,
  tenants,
} from '@eaas/service';

const month = '2026-11';

export function newHead(tenant_id: string = randomUUID()): HeadRow {
  const hash = randomBytes(32);
  const sum = randomBytes(32);
  const nonce = randomBytes(16);
  const mac = randomBytes(32);
  return { tenant_id, id: 0, hash, sum, nonce, created_at: Date.now(), month, encrypts: 0, mac };
}

interface LinkFields {
  readonly writes?: SealedWrite[];
  readonly action?: string;
  readonly key_id?: string | null;
  readonly key_version?: number | null;
  readonly actor?: string;
}

/** A link after what is known, with an entry for each metadata. The last one is a refusal. */
export function linkAfter(
  { head, time }: Pick<Known, 'head' | 'time'>,
  metadata: readonly string[],
  { writes = [], actor = 'operator', ...of }: LinkFields = {},
): Link {
  const expected = head ?? newHead();
  const next = { ...newHead(expected.tenant_id), id: expected.id + metadata.length, created_at: time };
  const kind = { key_id: null, key_version: null, action: 'key.wrap', ...of };
  const entry = { ...kind, actor, ip_address: null };
  const runs = metadata.map((text, nth) => ({ first: nth + 1, last: nth + 1, ...entry, metadata: text }));
  const tallies = [{ ...kind, n: metadata.length - 1, refused: 1 }];
  const blocks = runs.flatMap(({ first, action }) => blocksOf(expected.id + first, action, actor));
  return {
    expected,
    next,
    runs,
    seals: randomBytes(80 * metadata.length),
    blocks,
    writes,
    tallies,
    now: time,
  };
}

/** Makes rows of a tenant, with what else is in them. */
export function rowsOf(tenant_id: string) {
  const made = (table: object, row: object, row_id: string, rev: number | null): SealedWrite => ({
    table: table as never,
    row: { tenant_id, ...row, mac: randomBytes(32) } as object,
    record: rev === null ? null : { row_id, rev },
  });
  const never = { rotated_at: null, interval_days: null, next_rotation_at: null, destroy_at: null };
  return {
    tenant: () => {
      const mode = { envelope_only: true, monthly_encrypt_quota: null, created_at: 1, rev: 0 };
      const sealed = { root_id: randomBytes(8), sealed_secret: randomBytes(78) };
      return made(tenants, { name: 'tenant', ...mode, ...sealed }, tenant_id, 0);
    },
    key: (created_id: number, fields: object = {}, key_id: string = randomUUID()) => {
      const named = { key_id, name: `key ${created_id}`, key_version: 1, status: 'active' };
      const since = { created_at: 1, created_id, rev: created_id, sealed_hash_key: randomBytes(78) };
      const added = { min_version: 1, exportable: false, intake: false, subjects: 'optional' };
      return made(keys, { ...named, ...never, ...since, ...added, ...fields }, key_id, created_id);
    },
    apiKey: (created_id: number, permissions: string[], api_key_id: string = randomUUID()) => {
      const named = { api_key_id, name: 'name', hint: 'abcd', created_by: 'me' };
      const reach = { permissions, key_ids: null, allowed_origins: null };
      const times = { expires_at: null, created_at: 1, revoked_at: null, created_id, rev: created_id };
      const row = { ...named, token_hash: randomBytes(32), ...reach, ...times };
      return made(apiKeys, row, api_key_id, created_id);
    },
    subject: (subject_id: Buffer, erased_id: number | null) => {
      const [sealed, erased_hash] = erased_id === null ? [randomBytes(78), null] : [null, randomBytes(32)];
      const erased = { erased_id, erased_at: erased_id, erased_hash };
      const row = { subject_id, sealed, created_id: 1, created_at: 1, ...erased };
      return made(subjects, row, uuidFromBytes(subject_id.subarray(0, 16)), erased_id);
    },
  };
}
