import { genesisHash } from '@eaas/protocol/audit';
import { readCheckpointFile, writeCheckpointFile } from '../checkpoint-files.ts';
import { type ChainHead, openCheckpoint, signCheckpoint } from '../crypto/checkpoint.ts';
import { compareHead } from '../operations/verify/checkpoint.ts';
import type { Service } from '../service.ts';
import { checkedHead } from '../state/heads.ts';
import { openTenant } from '../state/integrity.ts';
import { findAnchor } from '../store/anchors.ts';
import { findHead } from '../store/heads.ts';
import type { Sql } from '../store/sql.ts';
import { findTenant, listChains } from '../store/tenants.ts';
import { forEach } from './each.ts';

class CheckpointDiffers extends Error {
  override readonly name = 'CheckpointDiffers';
  constructor(tenantId: string, reason: string) {
    super(
      `the checkpoint file of tenant ${tenantId} was not replaced, because ${reason}: run \`eaas audit verify --tenant ${tenantId}\``,
    );
  }
}

/** If an audit log does not extend its old checkpoint, the old checkpoint is kept as evidence. */
export async function keepCheckpoints(service: Service, directory: string, signal: AbortSignal) {
  const chains = await service.background.run(listChains, 30_000);
  await forEach(chains, signal, ({ tenant_id: tenantId }) => keepCheckpoint(service, directory, tenantId));
}

async function keepCheckpoint(service: Service, directory: string, tenantId: string): Promise<void> {
  const kept = await readCheckpointFile(directory, tenantId);
  const checkpoint = await service.background.snapshot(async (tx) => {
    const [tenant, row] = await Promise.all([findTenant(tx, tenantId), findHead(tx, tenantId)]);
    if (!tenant || !row) return undefined;
    const { secrets } = openTenant(service.tenants.roots, tenant);
    const head = checkedHead(secrets, tenantId, row);
    const before = kept === undefined ? undefined : openCheckpoint(secrets.checkpointSeed, tenantId, kept);
    if (kept !== undefined && !before) {
      throw new CheckpointDiffers(tenantId, 'its signature is not valid for this tenant');
    }
    if (before) await requireExtended(tx, tenantId, before, head);
    if (head.id === (before?.id ?? 0)) return undefined;
    return signCheckpoint(secrets.checkpointSeed, tenantId, head.id, head.hash).checkpoint;
  }, 10_000);
  if (checkpoint !== undefined) await writeCheckpointFile(directory, tenantId, checkpoint);
}

async function requireExtended(sql: Sql, tenantId: string, kept: ChainHead, head: ChainHead): Promise<void> {
  const anchor = (await findAnchor(sql, tenantId)) ?? { id: 0, hash: genesisHash(tenantId) };
  const reason = await compareHead(sql, tenantId, kept, { head, anchor });
  if (reason === undefined || reason === 'checkpoint_purged') return;
  throw new CheckpointDiffers(
    tenantId,
    reason === 'checkpoint_ahead'
      ? `the log ends at entry ${head.id}, before entry ${kept.id}`
      : `entry ${kept.id} of the log does not have the hash in the checkpoint file`,
  );
}
