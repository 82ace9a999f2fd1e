import { printJson } from '@eaas/cli-kit';
import { toHex } from '@eaas/protocol/internal-audit';
import {
  addedUp,
  asWord,
  type Loss,
  lossIn,
  readCheckpoint,
  Refusal,
  repeat,
  restoredHeads,
  type Service,
  type Undone,
  undoneBy,
} from '@eaas/server/internal';
import { readNamed } from './audit-verify.ts';
import { verifyEntries } from './audit-verify-file.ts';
import { type OnTenant, onTenant, withTenant } from './command.ts';
import { requireYes } from './confirm.ts';
import { exitCodes } from './failure.ts';
import { next, note, printResults } from './output.ts';

interface Options extends OnTenant {
  readonly checkpoint?: string;
  readonly yes?: true;
}

export const auditReplay = onTenant(
  'replay',
  'Repeat after a restore what the lost part of a log took away. Run it before `eaas serve`: it revokes, narrows, ' +
    'disables, destroys and erases again, unless the log later took that back. Needs the exported log, in which the ' +
    'newest entry of the restored log must be, and a checkpoint at or after the last change in it. Without such a ' +
    'checkpoint it only prints the changes, because anyone can write a file. Safe to run twice. The exit code is 0 only ' +
    'if nothing is left to do.',
  [
    'audit replay lost.ndjson --tenant acme --checkpoint acme.checkpoint',
    'audit replay lost.ndjson --tenant acme',
  ],
)
  .argument('<file>', 'the log of before the restore, as `eaas audit export` or the console wrote it')
  .option('--checkpoint <path>', 'the newest checkpoint of the tenant from before the restore')
  .option('--yes', 'do not ask. Required without a terminal')
  .action(async (path: string, options: Options) => {
    const { checkpoint, yes, tenant, json } = options;
    // If the process ends early, changes might be left.
    process.exitCode = exitCodes.refused;
    const text = checkpoint === undefined ? undefined : await readNamed(checkpoint);
    const left = await withTenant(options, async (service, { tenantId }) => {
      const lost = await readLost(service, tenantId, path, text);
      const undone = await undoneBy(service, tenantId, lost.losses);
      if (!json) printResults(undone.map(rowOf), columns, options);
      const toRepeat = undone.filter(({ action }) => action !== null);
      const repeats = toRepeat.length > 0 && lost.unproven === undefined;
      if (repeats) {
        const count = toRepeat.length === 1 ? '1 change' : `${toRepeat.length} changes`;
        await requireYes(yes, `${count} that the lost log made will be made again, and cannot be undone.`);
      } else if (toRepeat.length > 0) note(`Nothing was changed. ${lost.unproven}`);
      for (const change of undone) {
        const isRepeated = repeats && change.action !== null;
        if (isRepeated) await repeat(service, tenantId, change.loss);
        if (json) printJson({ ...rowOf(change), state: isRepeated ? 'repeated' : stateOf(change) });
      }
      if (repeats) note(`Repeated ${toRepeat.length} of ${toRepeat.length}.`);
      return { byHand: undone.length - toRepeat.length, toRepeat: repeats ? 0 : toRepeat.length };
    });
    if (left.byHand > 0)
      note('The rows with the state "by hand" are not only narrower: compare them, and set them yourself.');
    if (left.byHand + left.toRepeat > 0) return;
    process.exitCode = exitCodes.ok;
    next(`\`eaas audit acknowledge-restore --tenant ${asWord(tenant)}\``, options);
  });

const columns = ['entry_id', 'action', 'id', 'name', 'sets', 'state'] as const;

const stateOf = ({ action }: Undone) => (action === null ? 'by hand' : 'to repeat');

function rowOf(undone: Undone) {
  const { loss, name, action, sets } = undone;
  return {
    entry_id: loss.entryId,
    action,
    id: loss.id,
    name,
    sets: Object.keys(sets).length > 0 ? sets : null,
    state: stateOf(undone),
  };
}

interface Lost {
  readonly losses: readonly Loss[];
  /** Why the file does not prove its changes, if it does not. */
  readonly unproven: string | undefined;
}

/** Verifies the file, and returns what it has after the entry that was restored. */
async function readLost(
  service: Service,
  tenantId: string,
  path: string,
  text: string | undefined,
): Promise<Lost> {
  const stated = text === undefined ? undefined : await readCheckpoint(service, tenantId, text);
  const heads = await restoredHeads(service, tenantId);
  const hashes = new Map(heads.map(({ id, hash }) => [id, toHex(hash)]));
  const losses: Loss[] = [];
  let restoredId: number | undefined;
  let statedHash: string | undefined;
  const { tenant_id, errors, first_id, last_id } = await verifyEntries(path, undefined, (entry) => {
    const { id, hash } = entry;
    // Without an entry, the log is at its beginning, which the first entry of the file follows.
    if (id === 1 && hashes.has(0)) restoredId = 0;
    if (hashes.get(id) === hash) restoredId = id;
    if (id === stated?.id) statedHash = hash;
    const loss = lossIn(entry);
    if (loss) losses.push(loss);
  });
  if (tenant_id !== tenantId)
    throw new Refusal(
      'conflict',
      `The file ${path} has the log of the tenant ${tenant_id}, and not of ${tenantId}: pass the export of this tenant.`,
    );
  const [error] = errors;
  if (error)
    throw new Refusal(
      'conflict',
      `The file ${path} was changed or is not whole: ${error.reason} at entry ${error.id}. \`eaas audit verify-file\` lists all findings.`,
    );
  if (restoredId === undefined)
    throw new Refusal(
      'conflict',
      `The file ${path}, with the entries ${first_id} to ${last_id}, does not have entry ${heads[0]?.id}, the newest of ` +
        'the restored log, so it does not continue this log. Pass a file that begins earlier, and run the command before ' +
        '`eaas serve` and before any other change.',
    );
  if (stated && stated.id <= last_id && stated.id >= first_id && statedHash !== toHex(stated.hash))
    throw new Refusal(
      'conflict',
      `The checkpoint says that entry ${stated.id} is another one than the file ${path} has, so the file is not the log of this tenant.`,
    );
  const after = restoredId;
  const lost = losses.filter(({ entryId }) => entryId > after);
  return { losses: addedUp(lost), unproven: doubt(lost.at(-1)?.entryId ?? after, stated?.id, last_id) };
}

function doubt(lastChange: number, stated: number | undefined, last: number): string | undefined {
  if (stated === undefined)
    return `Pass --checkpoint, with a checkpoint at or after entry ${lastChange}: without it nobody knows who wrote the file.`;
  if (stated > last)
    return `The file ends with entry ${last}, before entry ${stated} of the checkpoint, which proves nothing about it: pass an export that ends later.`;
  if (stated < lastChange)
    return `The checkpoint proves the file up to entry ${stated}, but its last change is entry ${lastChange}: pass a newer checkpoint.`;
  return undefined;
}
