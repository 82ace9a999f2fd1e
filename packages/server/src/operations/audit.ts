import { toHex } from '@eaas/protocol/internal';
import { noPublicLog, requireKeyId, requireSubjectId } from '@eaas/protocol/service';
import {
  auditActions,
  formatTimestamp,
  type Input,
  limits,
  type Output,
  parseTimestamp,
} from '@eaas/protocol/wire';
import type { Service } from '../app/service.ts';
import { Refusal, Tampered } from '../base/refusal.ts';
import { idOfPerson } from '../crypto/key-hierarchy.ts';
import { signCheckpoint } from '../crypto/checkpoint.ts';
import type { Caller } from '../state/caller.ts';
import { monthOf } from '../state/clock.ts';
import { available } from '../state/decide.ts';
import { checkedHead } from '../state/heads.ts';
import { requireAnchor } from '../state/integrity.ts';
import type { TenantState } from '../state/tenant-view.ts';
import { findAnchor, findHead } from '../store/heads.ts';
import {
  countOfPerson,
  entriesOfPerson,
  type EntryRow,
  firstEntrySince,
  listEntries,
  newestEntries,
  type PersonFilter,
  readMetadata,
} from '../store/audit-entries.ts';
import { skipToPage, totalOf } from '../store/entry-counts.ts';
import type { Sql } from '../store/sql.ts';
import { countSubjects } from '../store/subjects.ts';
import { countedOperations, monthUsage } from '../store/usage.ts';
import { eachRow, listing, type Operations, reading } from './operation.ts';
import { type Verification, verifyChain } from './verify/verify-chain.ts';
import { timeLimit } from '../base/time-limit.ts';

export type ShownEntry = Output<'GET /v1/audit'>['logs'][number];

export const auditOperations = {
  'GET /v1/audit': listing(async (tx, { state, apiKey }, input) => {
    const { limit = limits.pageDefault, offset = 0, action, date_from, date_to } = input;
    const { tenant_id: tenantId } = state.tenant;
    const keyId = input.key_id === undefined ? undefined : requireKeyId(apiKey, input.key_id);
    const from = date_from === undefined ? undefined : parseTimestamp(date_from, 'up');
    const to = date_to === undefined ? undefined : parseTimestamp(date_to, 'down');
    const all = await storedIds(tx, state);
    const own = apiKey?.signIn && idOfPerson(state.secrets.subjects, apiKey.signIn.subject);
    const subjectId = requireSubjectId(own, input.subject_id);
    const person = { subject: halfOf(subjectId), user: halfOf(input.user_id) };
    const [page, filter] = [
      { limit, offset },
      { keyId, action, from, to },
    ];
    const isOfPerson = person.subject !== undefined || person.user !== undefined;
    const isByTime = keyId === undefined && action === undefined;
    const { rows, ...total } = isOfPerson
      ? await readOfPerson(tx, tenantId, all, { ...filter, ...person }, page)
      : isByTime
        ? await readByTime(tx, tenantId, all, filter, page)
        : await readMatching(tx, tenantId, all, filter, page);
    return eachRow(
      rows,
      (row) => shownEntry(tenantId, row),
      (logs) => ({ logs, count: logs.length, ...total, limit, offset }),
    );
  }),
  'GET /v1/audit/verify': verifyAudit,
  'GET /v1/audit/checkpoint': reading(async (tx, { state }) => {
    const { tenant_id } = state.tenant;
    const { id, hash } = checkedHead(state.secrets, tenant_id, await findHead(tx, tenant_id));
    const { checkpoint, verifierKey } = signCheckpoint(state.secrets.checkpointSeed, tenant_id, id, hash);
    return { checkpoint, verifier_key: verifierKey, tenant_id, id, hash: toHex(hash) };
  }),
  'GET /v1/audit/proof': (service: Service, caller: Caller, input: Input<'GET /v1/audit/proof'>) => {
    const prove = reading(async (tx, { state }, { id }: typeof input) => {
      const { publicLog } = service;
      if (!publicLog) throw noPublicLog();
      const { tenant_id } = state.tenant;
      const head = checkedHead(state.secrets, tenant_id, await findHead(tx, tenant_id));
      if (id !== undefined && id > head.id) throw entryNotWritten(id, head.id);
      return { proof: await publicLog.proof(tx, tenant_id, id) };
    });
    return prove(service, caller, input);
  },
  'GET /v1/usage': reading(async (tx, { state, time }, { month = monthOf(time) }) => {
    const { tenant_id: tenantId, monthly_encrypt_quota: encrypt_quota } = state.tenant;
    const [rows, subjects] = await Promise.all([
      monthUsage(tx, tenantId, month),
      countSubjects(tx, tenantId),
    ]);
    const counts = new Map(rows.map((row) => [row.operation, row.count]));
    const operations = Object.fromEntries(countedOperations.map((name) => [name, counts.get(name) ?? 0]));
    return {
      month,
      operations: operations as Output<'GET /v1/usage'>['operations'],
      encrypt_quota,
      subjects,
    };
  }),
} satisfies Partial<Operations>;

const entryNotWritten = (id: number, newest: number): Refusal =>
  new Refusal('not_found', `The audit log has no entry ${id}: its newest entry is ${newest}.`);

type Filter = Parameters<typeof listEntries>[2];
type Page = Parameters<typeof listEntries>[3];
type Range = Awaited<ReturnType<typeof storedIds>>;

// Below this offset, the SQL clause `offset` is faster than `skipToPage`, which needs a query of the stored counts.
const farOffset = 2_000;

async function readMatching(sql: Sql, tenantId: string, all: Range, filter: Filter, page: Page) {
  const counted = totalOf(sql, tenantId, filter, all.first > 1);
  if (page.offset < farOffset) {
    const [rows, { total }] = await Promise.all([listEntries(sql, tenantId, filter, page), counted]);
    return { rows, total };
  }
  const known = await counted;
  const { total } = known;
  if (page.offset >= total) return { rows: [], total };
  const near = await skipToPage(sql, tenantId, filter, known, page.offset);
  const rows = await listEntries(sql, tenantId, near.filter, { limit: page.limit, offset: near.offset });
  return { rows, total };
}

/**
 * Reads a page by the ids of entries. The ids have no gaps, so the first id of a page follows from the offset, and a
 * large offset costs no more than a small one.
 */
async function readByTime(sql: Sql, tenantId: string, all: Range, filter: Filter, page: Page) {
  const { first, last } = await idsBetween(sql, tenantId, all, filter);
  const rows = await newestEntries(sql, tenantId, first, last - page.offset, page.limit);
  return { rows, total: Math.max(0, last - first + 1) };
}

async function idsBetween(sql: Sql, tenantId: string, all: Range, { from, to }: Filter): Promise<Range> {
  const since = (time: number) => firstEntrySince(sql, tenantId, time, all);
  const first = from === undefined ? all.first : await since(from);
  const last = to === undefined ? all.last : (await since(to + 1)) - 1;
  return { first, last };
}

/** The log has the first half of each id, and the whole id of a subject in the entry of its erasure. */
const halfOf = (id: string | undefined): string | undefined => id?.slice(0, 32);

async function readOfPerson(
  sql: Sql,
  tenantId: string,
  all: Range,
  { from, to, ...wanted }: Filter & Pick<PersonFilter, 'subject' | 'user'>,
  page: Page,
) {
  const { countedEntries } = limits;
  const filter = { ...wanted, ...(await idsBetween(sql, tenantId, all, { from, to })) };
  const [rows, counted] = await Promise.all([
    entriesOfPerson(sql, tenantId, filter, page),
    countOfPerson(sql, tenantId, filter, countedEntries + 1),
  ]);
  if (counted <= countedEntries) return { rows, total: counted };
  return { rows, total: null, total_at_least: countedEntries };
}

async function storedIds(sql: Sql, { tenant, secrets }: TenantState) {
  const { tenant_id: tenantId } = tenant;
  const [row, anchor] = await Promise.all([findHead(sql, tenantId), findAnchor(sql, tenantId)]);
  const head = checkedHead(secrets, tenantId, row);
  if (anchor) requireAnchor(secrets, anchor);
  return { first: (anchor?.id ?? 0) + 1, last: head.id };
}

export function shownEntry(tenantId: string, row: EntryRow): ShownEntry {
  const action = auditActions.find((known) => known === row.action);
  const isComplete = typeof row.actor === 'string' && row.hash instanceof Uint8Array;
  if (!action || !isComplete || !Number.isSafeInteger(row.key_version ?? 0)) {
    throw new Tampered('audit_entries', String(row.id), tenantId);
  }
  return {
    id: row.id,
    tenant_id: tenantId,
    action,
    key_id: row.key_id,
    key_version: row.key_version,
    actor: row.actor,
    ip_address: row.ip_address,
    // The metadata is parsed only when the entry is written into the response. A long page of entries is written in
    // short turns, so that other calls can run in between.
    get metadata() {
      return readMetadata(row);
    },
    created_at: formatTimestamp(row.created_at),
    hash: toHex(row.hash),
  };
}

/** The time limit of a call, in milliseconds, which includes the wait for its place. */
const longest = 10_000;
/** After this time, a call ends at the next page if another tenant waits for its place. */
const leastTime = 1_000;

async function verifyAudit(
  service: Service,
  caller: Caller,
  input: Input<'GET /v1/audit/verify'>,
): Promise<Verification> {
  const { tenantId, signal } = caller;
  const { verifications } = service.admission.shares;
  const end = performance.now() + timeLimit(longest);
  const verify = async (): Promise<Verification> => {
    const sharesAt = performance.now() + leastTime;
    const timeLeft = () => Math.max(100, end - performance.now());
    // The verification stops one second before its time limit, because the current page can take up to a second.
    const shouldStop = () =>
      timeLeft() < 1_000 || (performance.now() > sharesAt && verifications.delaysOthers(tenantId));
    const verification = await verifyChain(service, tenantId, { ...input, shouldStop, timeLeft });
    if (verification.errors.length > 0) service.tenants.forget(tenantId);
    return verification;
  };
  return available(() => verifications.run(tenantId, 1, verify, signal));
}
