import { genesisHash } from '@eaas/protocol/audit';
import {
  type CheckpointFile,
  listCheckpointFiles,
  readCheckpointFile,
  removeCheckpointFiles,
  removeUnfinishedFiles,
  writeCheckpointFile,
} from './checkpoint-files.ts';
import {
  type ChainHead,
  checkedHead,
  compareHead,
  Explained,
  findAnchor,
  findHead,
  findTenant,
  forEach,
  listChains,
  openCheckpoint,
  openTenant,
  type Service,
  signCheckpoint,
  type Sql,
} from '@eaas/server/internal';

class CheckpointDiffers extends Explained {
  override readonly name = 'CheckpointDiffers';
  constructor(tenantId: string, reason: string) {
    super(
      `the checkpoint file of tenant ${tenantId} was not replaced, because ${reason}: run \`eaas audit verify --tenant ${tenantId}\``,
    );
  }
}

/**
 * Writes a checkpoint for each audit log that has grown. If an audit log contradicts its old checkpoints, these are
 * kept as evidence.
 */
export async function keepCheckpoints(service: Service, directory: string, signal: AbortSignal) {
  const chains = await service.background.run(listChains, 30_000);
  await removeUnfinishedFiles(directory);
  const files = await listCheckpointFiles(directory);
  await forEach(chains, signal, ({ tenant_id: tenantId }) =>
    keepCheckpoint(service, directory, tenantId, files.get(tenantId) ?? []),
  );
}

async function keepCheckpoint(
  service: Service,
  directory: string,
  tenantId: string,
  files: readonly CheckpointFile[],
): Promise<void> {
  const kept = await readKept(files);
  // All listed checkpoint files of the tenant are gone, so another server has already written a newer one.
  if (files.length > 0 && kept.length === 0) return;
  const checkpoint = await service.background.snapshot(async (tx) => {
    const [tenant, row] = await Promise.all([findTenant(tx, tenantId), findHead(tx, tenantId)]);
    if (!tenant || !row) return null;
    const { secrets } = openTenant(service.tenants.roots, tenant);
    const head = checkedHead(secrets, tenantId, row);
    const ids: number[] = [];
    for (const { text } of kept) {
      const before = openCheckpoint(secrets.checkpointSeed, tenantId, text);
      if (!before) throw new CheckpointDiffers(tenantId, 'its signature is not valid for this tenant');
      await requireExtended(tx, tenantId, before, head);
      ids.push(before.id);
    }
    const { id, hash } = head;
    if (id === (ids[0] ?? 0)) return undefined;
    return { id, text: signCheckpoint(secrets.checkpointSeed, tenantId, id, hash).checkpoint };
  }, 10_000);
  if (checkpoint === null) return;
  const [newest] = kept;
  const path = checkpoint
    ? await writeCheckpointFile(directory, tenantId, checkpoint.id, checkpoint.text)
    : newest?.path;
  await removeCheckpointFiles(kept.filter((file) => file.path !== path));
}

async function readKept(files: readonly CheckpointFile[]) {
  const kept: (CheckpointFile & { readonly text: string })[] = [];
  for (const file of files) {
    const text = await readCheckpointFile(file);
    if (text !== undefined) kept.push({ ...file, text });
  }
  return kept;
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
