import type { Steps } from '@eaas/protocol/service';
import {
  hashKeyPlace,
  openMaterial,
  subjectPlace,
  type TenantSecrets,
  versionPlace,
} from '../../crypto/key-hierarchy.ts';
import type { SecretPlace } from '../../crypto/sealed-secret.ts';
import { macHolds } from '../../state/integrity.ts';
import { apiKeyTable } from '../../store/api-keys.ts';
import { issuerTable } from '../../store/issuers.ts';
import { keySetsOf, keySetTable } from '../../store/key-sets.ts';
import { type KeyRow, keyTable, type KeyVersionRow } from '../../store/keys.ts';
import { apiKeyPage, issuerPage, keyPage, subjectPage, versionsOf } from '../../store/row-pages.ts';
import type { Sql } from '../../store/sql.ts';
import { rowIdOf, subjectIdOf, type SubjectRow, subjectTable } from '../../store/subjects.ts';
import type { Inspection } from './report.ts';

export interface RowCursor {
  readonly table: 'keys' | 'api_keys' | 'issuers' | 'subjects' | 'done';
  readonly after: string;
}

const leastId = '00000000-0000-0000-0000-000000000000';
export const firstRow: RowCursor = { table: 'keys', after: leastId };

const leastRows = 1_000;

export function formatCursor({ table, after }: RowCursor): string {
  return `${table}:${after}`;
}

export function parseCursor(text: string): RowCursor {
  const [table, after] = text.split(':') as [RowCursor['table'], string];
  return { table, after };
}

export async function walkRows(
  inspection: Inspection,
  secrets: TenantSecrets,
  from: RowCursor,
): Promise<RowCursor> {
  const { database, turns, tenantId, shouldStop, timeLeft } = inspection;
  let cursor = from;
  let judged = 0;
  while (cursor.table !== 'done') {
    const { table, after } = cursor;
    const [read, next] = walks[table];
    const page = await database.snapshot((tx) => read(tx, inspection, secrets, after), timeLeft());
    await turns.run(tenantId, page.judge, { isBegun: true });
    judged += page.count;
    const { last = after } = page;
    // Behind the greatest id, a forged one, is nothing.
    cursor = last > after && /[^f-]/.test(last) ? { table, after: last } : { table: next, after: leastId };
    if (judged >= leastRows && shouldStop()) break;
  }
  return cursor;
}

const walks = {
  keys: [readKeys, 'api_keys'],
  api_keys: [readApiKeys, 'issuers'],
  issuers: [readIssuers, 'subjects'],
  subjects: [readSubjects, 'done'],
} as const;

async function readSubjects(
  sql: Sql,
  { tenantId, findings }: Inspection,
  secrets: TenantSecrets,
  after: string,
) {
  const subjects = await subjectPage(sql, tenantId, after);
  function* judge(): Steps<void> {
    for (const { shown, is_created: isCreated, ...row } of subjects) {
      const { created_id: created, erased_id: erased } = row;
      if (!isIntactSubject(secrets, row)) findings.add('subject_changed', erased ?? created, shown);
      else if (!isCreated) findings.addUnlessExplained([[created]], 'subject_put_back', created, shown);
      yield;
    }
  }
  // A forged id can be short.
  const last = subjects.at(-1)?.shown.padEnd(32, '0');
  return { count: subjects.length, last: last && rowIdOf(last), judge: judge() };
}

function isIntactSubject(secrets: TenantSecrets, row: SubjectRow): boolean {
  if (!macHolds(secrets, subjectTable, row)) return false;
  const { tenant_id: tenantId, sealed, erased_id: erased } = row;
  if (sealed === null || erased !== null) return sealed === null && erased !== null;
  return openMaterial(secrets.sealing, subjectPlace(tenantId, subjectIdOf(row)), sealed) !== undefined;
}

async function readApiKeys(
  sql: Sql,
  { tenantId, findings }: Inspection,
  secrets: TenantSecrets,
  after: string,
) {
  const apiKeys = await apiKeyPage(sql, tenantId, after);
  function* judge(): Steps<void> {
    for (const row of apiKeys) {
      if (!macHolds(secrets, apiKeyTable, row)) findings.add('api_key_changed', row.rev, row.api_key_id);
      yield;
    }
  }
  return { count: apiKeys.length, last: apiKeys.at(-1)?.api_key_id, judge: judge() };
}

async function readIssuers(
  sql: Sql,
  { tenantId, findings }: Inspection,
  secrets: TenantSecrets,
  after: string,
) {
  const issuers = await issuerPage(sql, tenantId, after);
  const ids = issuers.map(({ issuer_id }) => issuer_id);
  const changed = (await keySetsOf(sql, tenantId, ids)).filter((set) => !macHolds(secrets, keySetTable, set));
  const changedSets = new Set(changed.map(({ issuer_id }) => issuer_id));
  function* judge(): Steps<void> {
    for (const row of issuers) {
      if (!macHolds(secrets, issuerTable, row) || changedSets.has(row.issuer_id))
        findings.add('issuer_changed', row.rev, row.issuer_id);
      yield;
    }
  }
  return { count: issuers.length, last: issuers.at(-1)?.issuer_id, judge: judge() };
}

async function readKeys(sql: Sql, { tenantId, findings }: Inspection, secrets: TenantSecrets, after: string) {
  const keys = await keyPage(sql, tenantId, after);
  const ids = keys.map((key) => key.key_id);
  const versions = await versionsOf(sql, tenantId, ids);
  function* judge(): Steps<void> {
    const byKey = new Map<string, KeyVersionRow[]>(ids.map((id) => [id, []]));
    for (const version of versions) byKey.get(version.key_id)?.push(version);
    for (const key of keys) {
      if (!macHolds(secrets, keyTable, key)) findings.add('key_changed', key.rev, key.key_id);
      yield;
      yield* judgeMaterial(secrets, key, byKey.get(key.key_id) ?? [], findings);
    }
  }
  return { count: keys.length + versions.length, last: ids.at(-1), judge: judge() };
}

function* judgeMaterial(
  { sealing }: TenantSecrets,
  { tenant_id: tenantId, key_id: keyId, key_version: newest, ...key }: KeyRow,
  versions: readonly KeyVersionRow[],
  findings: Inspection['findings'],
): Steps<void> {
  const isDestroyed = key.status === 'destroyed';
  const isIntact = (sealed: Uint8Array | null, place: SecretPlace): boolean =>
    isDestroyed ? sealed === null : sealed !== null && openMaterial(sealing, place, sealed) !== undefined;
  const { sealed_hash_key, rev } = key;
  if (!isIntact(sealed_hash_key, hashKeyPlace(tenantId, keyId))) findings.add('key_changed', rev, keyId);
  const stored = new Set(versions.map((version) => version.key_version));
  for (let number = 1; number <= newest && number <= versions.length + 100; number++) {
    if (!stored.has(number)) findings.add('key_version_missing', rev, `${keyId} ${number}`);
  }
  for (const { key_version: number, sealed } of versions) {
    yield;
    const subject = `${keyId} ${number}`;
    if (number < 1 || number > newest || !stored.delete(number)) {
      findings.add('key_version_unexpected', rev, subject);
      continue;
    }
    const place = versionPlace(tenantId, keyId, number);
    if (!isIntact(sealed, place)) findings.add('key_version_changed', rev, subject);
  }
}
