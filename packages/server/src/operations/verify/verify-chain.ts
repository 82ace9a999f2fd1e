import { genesisHash } from '@eaas/protocol/audit';
import { openCheckpoint, type ChainHead } from '../../crypto/checkpoint.ts';
import { openTenantSecrets, type TenantSecrets } from '../../crypto/key-hierarchy.ts';
import { anchorMacHolds, rowMacHolds } from '../../crypto/row-mac.ts';
import { sameBytes } from '../../crypto/same-bytes.ts';
import { Refusal } from '../../refusal.ts';
import type { Service } from '../../service.ts';
import { headHolds } from '../../state/integrity.ts';
import { type AnchorRow, anchorParts, findAnchor } from '../../store/anchors.ts';
import { entryAt, storedRange } from '../../store/audit-entries.ts';
import { findHead, type HeadRow } from '../../store/heads.ts';
import type { Sql } from '../../store/sql.ts';
import { findTenant, type TenantRow, tenantParts } from '../../store/tenants.ts';
import { walkEntries, type Walk } from './entries.ts';
import { type Finding, Findings } from './report.ts';
import { judgeRows } from './rows.ts';

export interface VerifyOptions {
  readonly fromId?: number | undefined;
  readonly toId?: number | undefined;
  /** A checkpoint that was kept outside: the log must extend it. */
  readonly checkpoint?: string | undefined;
  /** Asked before each page: whether to stop there, to be continued. */
  readonly enough?: ((checked: number, last: number) => boolean) | undefined;
}

export interface Verification {
  /** True only when the whole range was finished; null while it is not and nothing is wrong so far. */
  readonly valid: boolean | null;
  readonly nextId: number | null;
  readonly checked: number;
  readonly firstId: number | null;
  readonly lastId: number | null;
  readonly purgedThrough: ChainHead | null;
  readonly head: ChainHead;
  readonly errors: readonly Finding[];
  readonly errorCount: number;
  readonly checkpoint: (ChainHead & { readonly valid: boolean }) | null;
}

interface Ends {
  readonly tenant: TenantRow;
  readonly secrets: TenantSecrets;
  readonly head: HeadRow;
  readonly anchor: ChainHead;
  readonly checkpoint: (ChainHead & { readonly valid: boolean }) | null;
}

/**
 * Verifies a tenant's chain: the head, the anchor and every row, then each entry of the range. What was tampered with
 * is a finding, never an exception.
 */
export async function verifyChain(
  service: Service,
  tenantId: string,
  options: VerifyOptions = {},
): Promise<Verification> {
  const findings = new Findings();
  const ends = await service.database.snapshot(
    (tx) => judgeEnds(service, tx, tenantId, options, findings),
    60_000,
  );
  const { secrets, head, anchor, checkpoint } = ends;
  const first = Math.max(options.fromId ?? 1, anchor.id + 1);
  const last = Math.min(options.toId ?? head.id, head.id);
  const walk = await startWalk(service, tenantId, first, anchor);
  const enough = () => options.enough?.(walk.checked, last) ?? false;
  await walkEntries(service.database, tenantId, secrets, walk, last, findings, enough);
  const complete = walk.next > last;
  const endHash = last < first && head.id === anchor.id ? anchor.hash : walk.previous;
  if (complete && last === head.id && first <= head.id + 1 && endHash && !sameBytes(endHash, head.hash)) {
    findings.add('head_mismatch', head.id);
  }
  return {
    valid: findings.count > 0 ? false : complete ? true : null,
    nextId: complete ? null : walk.next,
    checked: walk.checked,
    firstId: first <= last ? first : null,
    lastId: first <= last ? (complete ? last : walk.next - 1) : null,
    purgedThrough: anchor.id > 0 ? anchor : null,
    head: { id: head.id, hash: head.hash },
    errors: findings.first,
    errorCount: findings.count,
    checkpoint,
  };
}

async function judgeEnds(
  service: Service,
  sql: Sql,
  tenantId: string,
  { checkpoint: text }: VerifyOptions,
  findings: Findings,
): Promise<Ends> {
  const [tenant, head, anchorRow, stored] = await Promise.all([
    findTenant(sql, tenantId),
    findHead(sql, tenantId),
    findAnchor(sql, tenantId),
    storedRange(sql, tenantId),
  ]);
  if (!tenant || !head) throw new Refusal('not_found', 'There is no such tenant, or its head row is gone.');
  const secrets = requireSecrets(service, tenant);
  if (!rowMacHolds(secrets.rowMac, 'tenants', tenantParts(tenant), tenant.mac)) {
    findings.add('tenant_changed', tenant.rev, tenantId);
  }
  if (!headHolds(secrets, tenantId, head)) findings.add('head_changed', head.id);
  const anchor = anchorRow ?? { id: 0, hash: genesisHash(tenantId) };
  const purged = anchorRow?.id ?? 0;
  const { digest } = await judgeRows(sql, tenant, secrets, purged, findings);
  if (anchorRow) judgeAnchor(secrets, tenantId, anchorRow, digest, findings);
  if (stored.last > head.id) findings.add('entry_unexpected', head.id + 1);
  if (stored.last > 0 && stored.first <= purged) findings.add('entry_unexpected', stored.first);
  const checkpoint =
    text === undefined ? null : await judgeCheckpoint(sql, secrets, tenantId, text, head, anchor, findings);
  return { tenant, secrets, head, anchor: { id: anchor.id, hash: anchor.hash }, checkpoint };
}

function requireSecrets({ tenants }: Service, row: TenantRow): TenantSecrets {
  const { tenant_id: tenantId, root_id: rootId, sealed_secret: sealedSecret } = row;
  const secrets = openTenantSecrets(tenants.roots, { tenantId, rootId, sealedSecret });
  if (secrets) return secrets;
  throw new Refusal('unavailable', `The secret of tenant ${tenantId} does not open: its row was changed.`);
}

function judgeAnchor(
  secrets: TenantSecrets,
  tenantId: string,
  anchor: AnchorRow,
  digest: Uint8Array,
  findings: Findings,
): void {
  if (!anchorMacHolds(secrets.rowMac, anchorParts(tenantId, anchor), anchor.mac)) {
    findings.add('purge_anchor_changed', anchor.id);
  } else if (!sameBytes(digest, anchor.rows_digest)) findings.add('rows_differ_from_anchor', anchor.id);
}

async function judgeCheckpoint(
  sql: Sql,
  secrets: TenantSecrets,
  tenantId: string,
  text: string,
  head: HeadRow,
  anchor: ChainHead,
  findings: Findings,
): Promise<ChainHead & { valid: boolean }> {
  const stated = openCheckpoint(secrets.checkpointSeed, tenantId, text);
  if (!stated) {
    throw new Refusal(
      'bad_request',
      '`checkpoint` is not one that this tenant was given: check that it is whole.',
    );
  }
  const before = findings.count;
  if (stated.id > head.id) findings.add('checkpoint_ahead', stated.id);
  else if (stated.id < anchor.id) findings.add('checkpoint_purged', stated.id);
  else {
    const known = stated.id === anchor.id ? anchor : await entryAt(sql, tenantId, stated.id);
    if (!known || !sameBytes(known.hash, stated.hash)) findings.add('checkpoint_mismatch', stated.id);
  }
  return { ...stated, valid: findings.count === before };
}

async function startWalk(
  { database }: Service,
  tenantId: string,
  first: number,
  anchor: ChainHead,
): Promise<Walk> {
  const before =
    first === anchor.id + 1
      ? { hash: anchor.hash, created_at: 0 }
      : await database.run((sql) => entryAt(sql, tenantId, first - 1));
  return { next: first, previous: before?.hash, previousTime: before?.created_at ?? 0, checked: 0 };
}
