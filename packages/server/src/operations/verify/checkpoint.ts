import { foreignCheckpoint } from '@eaas/protocol/service';
import { type ChainHead, openCheckpoint } from '../../crypto/checkpoint.ts';
import { sameBytes } from '../../crypto/same-bytes.ts';
import { entryAt } from '../../store/audit-entries.ts';
import type { Sql } from '../../store/sql.ts';
import type { Ends } from './ends.ts';
import type { Inspection } from './report.ts';

export async function compareHead(
  sql: Sql,
  tenantId: string,
  stated: ChainHead,
  { head, anchor }: Pick<Ends, 'head' | 'anchor'>,
) {
  if (stated.id > head.id) return 'checkpoint_ahead';
  if (stated.id < anchor.id) return 'checkpoint_purged';
  const known = stated.id === anchor.id ? anchor : await entryAt(sql, tenantId, stated.id);
  return known && sameBytes(known.hash, stated.hash) ? undefined : 'checkpoint_mismatch';
}

export async function judgeCheckpoint(
  sql: Sql,
  { tenantId, findings }: Inspection,
  ends: Ends,
  text: string | undefined,
): Promise<(ChainHead & { readonly valid: boolean }) | null> {
  if (text === undefined || !ends.secrets) return null;
  const stated = openCheckpoint(ends.secrets.checkpointSeed, tenantId, text);
  if (!stated) throw foreignCheckpoint();
  const reason = await compareHead(sql, tenantId, stated, ends);
  if (reason) findings.add(reason, stated.id);
  return { ...stated, valid: reason === undefined };
}
