import { type ChainHead, openCheckpoint } from '../../crypto/checkpoint.ts';
import { sameBytes } from '../../crypto/same-bytes.ts';
import { Refusal } from '../../refusal.ts';
import { entryAt } from '../../store/audit-entries.ts';
import type { Sql } from '../../store/sql.ts';
import type { Ends } from './ends.ts';
import type { Findings } from './report.ts';

/** What a checkpoint states, and whether the log extends it. */
export type JudgedCheckpoint = ChainHead & { readonly valid: boolean };

/** Holds the log against a checkpoint. Throws Refusal unless this tenant was given it. */
export async function judgeCheckpoint(
  sql: Sql,
  tenantId: string,
  { secrets, head, anchor }: Ends,
  text: string | undefined,
  findings: Findings,
): Promise<JudgedCheckpoint | null> {
  if (text === undefined || !secrets) return null;
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
