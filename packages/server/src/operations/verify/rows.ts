import { hash } from 'node:crypto';
import { pae } from '@eaas/protocol';
import type { TenantSecrets } from '../../crypto/key-hierarchy.ts';
import { openHashKey, openKeyVersion } from '../../crypto/key-material.ts';
import { apiKeyHolds, keyHolds } from '../../state/integrity.ts';
import { allApiKeys, type ApiKeyRow } from '../../store/api-keys.ts';
import { allKeys, allKeyVersions, type KeyRow, type KeyVersionRow } from '../../store/keys.ts';
import type { Sql } from '../../store/sql.ts';
import type { TenantRow } from '../../store/tenants.ts';
import { readStories, type Story } from './changes.ts';
import type { Findings, Reason } from './report.ts';

type Kind = 'tenant' | 'key' | 'api_key';

interface Row {
  readonly kind: Kind;
  readonly id: string;
  readonly rev: number;
  readonly created_id: number;
}

/** A digest of which rows there were when an entry was written, and of the entry that had last changed each. */
export async function rowsDigest(sql: Sql, tenant: TenantRow, entryId: number): Promise<Uint8Array> {
  const { tenant_id: tenantId } = tenant;
  const rows = [
    tenantRow(tenant),
    ...(await allKeys(sql, tenantId)).map(keyRow),
    ...(await allApiKeys(sql, tenantId)).map(apiKeyRow),
  ];
  return digestAt(entryId, rows, await readStories(sql, tenantId, entryId));
}

/**
 * Holds every row of a tenant against its MAC and against the log: each must be as its last entry left it, and what
 * the log says exists must be there. Of what was purged, the anchor's digest says which rows there were.
 */
export async function judgeRows(
  sql: Sql,
  tenant: TenantRow,
  secrets: TenantSecrets,
  purgedThrough: number,
  findings: Findings,
): Promise<{ digest: Uint8Array }> {
  const stories = await readStories(sql, tenant.tenant_id, purgedThrough);
  const rows: Row[] = [tenantRow(tenant)];
  const keys = await allKeys(sql, tenant.tenant_id);
  for (const key of keys) {
    rows.push(keyRow(key));
    if (!keyHolds(secrets, key)) findings.add('key_changed', key.rev, key.key_id);
  }
  for (const apiKey of await allApiKeys(sql, tenant.tenant_id)) {
    rows.push(apiKeyRow(apiKey));
    if (!apiKeyHolds(secrets, apiKey)) findings.add('api_key_changed', apiKey.rev, apiKey.api_key_id);
  }
  await judgeVersions(sql, tenant.tenant_id, secrets, keys, findings);
  const there = new Set<string>();
  for (const row of rows) {
    const subject = `${row.kind} ${row.id}`;
    if (there.has(subject)) findings.add('row_duplicated', row.rev, subject);
    there.add(subject);
    judgeAge(row, stories.get(subject), purgedThrough, findings);
  }
  for (const [subject, story] of stories) {
    if (there.has(subject)) continue;
    const [kind = '', id] = subject.split(' ');
    findings.add(kind === 'key' ? 'key_missing' : 'api_key_missing', story.last, id);
  }
  return { digest: digestAt(purgedThrough, rows, stories) };
}

function tenantRow({ tenant_id: id, rev }: TenantRow): Row {
  return { kind: 'tenant', id, rev, created_id: 0 };
}

function keyRow({ key_id: id, rev, created_id }: KeyRow): Row {
  return { kind: 'key', id, rev, created_id };
}

function apiKeyRow({ api_key_id: id, rev, created_id }: ApiKeyRow): Row {
  return { kind: 'api_key', id, rev, created_id };
}

/**
 * An authentic row of before is found by its age: the log has a later change. When it was changed again since, that
 * entry names another change before it than the log has.
 */
function judgeAge(row: Row, story: Story | undefined, purgedThrough: number, findings: Findings): void {
  const lastKnown = story ? row.rev === story.last : row.rev <= purgedThrough;
  const created =
    story?.created === undefined ? row.created_id <= purgedThrough : row.created_id === story.created;
  if (lastKnown && created && story?.unfounded === undefined) return;
  const reasons: Record<Kind, Reason> = {
    tenant: 'tenant_put_back',
    key: 'key_put_back',
    api_key: 'api_key_put_back',
  };
  findings.add(reasons[row.kind], story?.unfounded ?? story?.last ?? row.rev, row.id);
}

async function judgeVersions(
  sql: Sql,
  tenantId: string,
  secrets: TenantSecrets,
  keys: readonly KeyRow[],
  findings: Findings,
): Promise<void> {
  const byKey = new Map<string, KeyVersionRow[]>(keys.map((key) => [key.key_id, []]));
  for (const version of await allKeyVersions(sql, tenantId)) {
    const known = byKey.get(version.key_id);
    if (known) known.push(version);
    else findings.add('key_version_unexpected', null, `${version.key_id} ${version.key_version}`);
  }
  for (const key of keys) judgeMaterial(tenantId, secrets, key, byKey.get(key.key_id) ?? [], findings);
}

function judgeMaterial(
  tenantId: string,
  { sealing }: TenantSecrets,
  key: KeyRow,
  versions: readonly KeyVersionRow[],
  findings: Findings,
): void {
  const destroyed = key.status === 'destroyed';
  const { sealed_hash_key: sealedHashKey, key_id: keyId } = key;
  const hashKeyHolds = sealedHashKey && openHashKey(sealing, tenantId, keyId, sealedHashKey) !== undefined;
  if (destroyed ? sealedHashKey !== null : !hashKeyHolds) findings.add('key_changed', key.rev, keyId);
  const seen = new Set(versions.map((version) => version.key_version));
  for (let number = 1; number <= key.key_version && number <= versions.length + 100; number++) {
    if (!seen.has(number)) findings.add('key_version_missing', key.rev, `${keyId} ${number}`);
  }
  for (const { key_version: number, sealed } of versions) {
    if (number < 1 || number > key.key_version || !seen.delete(number)) {
      findings.add('key_version_unexpected', key.rev, `${keyId} ${number}`);
      continue;
    }
    const holds = sealed && openKeyVersion(sealing, tenantId, keyId, number, sealed) !== undefined;
    if (destroyed ? sealed !== null : !holds)
      findings.add('key_version_changed', key.rev, `${keyId} ${number}`);
  }
}

function digestAt(purgedThrough: number, rows: readonly Row[], stories: Map<string, Story>): Uint8Array {
  const then = new Map<string, number>();
  for (const { kind, id, rev } of rows) {
    if (rev <= purgedThrough && Number.isSafeInteger(rev)) then.set(`${kind} ${id}`, rev);
  }
  for (const [subject, { before }] of stories) {
    if (before !== undefined && before <= purgedThrough) then.set(subject, before);
  }
  const sorted = [...then].sort(([a], [b]) => (a < b ? -1 : 1));
  return hash('sha256', pae('eaas rows v1', ...sorted.flat()), 'buffer');
}
