// `eaas audit replay`: after a restore, repeats what the lost part of a log took away, so that nothing erased comes back.
import { printJson } from './kit/index.ts';
import { openCheckpoint } from '@eaas/audit';
import { genesisHash } from '@eaas/protocol/audit';
import { toHex } from '@eaas/protocol/internal';
import { asWord, foreignCheckpoint, readLog, type Service } from '@eaas/server/internal';
import { verifyEntries } from './audit-verify-file.ts';
import { onTenant, type Operator, withTenant } from './command.ts';
import { requireYes } from './confirm.ts';
import { exitCodes, failureOf } from './failure.ts';
import { readCheckpointFile } from './given-file.ts';
import { lastOfEach, type Loss, lossIn, type Undone, undoneOf } from './lost-changes.ts';
import { entriesAfter } from './next-entries.ts';
import { next, note, printResults } from './output.ts';
import { conflict } from './refusal.ts';

export const auditReplay = onTenant(
  'replay',
  'Repeat after a restore what the lost part of a log took away. Run it before `eaas serve`: it revokes, narrows, ' +
    'disables, destroys and erases again, refuses old key versions, and makes tenants envelope-only, unless the log ' +
    'later took that back. What it cannot repeat, it lists as "by hand". Needs the exported log, in which the newest ' +
    'entry of the restored log must be, and a checkpoint at or after the last change in it. Without such a checkpoint it ' +
    'only prints the changes, because anyone can write a file. Safe to run twice. ' +
    'The exit code is 0 only if nothing is left to do.',
  [
    'audit replay lost.ndjson --tenant acme --checkpoint acme.checkpoint',
    'audit replay lost.ndjson --tenant acme',
  ],
)
  .argument('<file>', 'the log of before the restore, as `eaas audit export` or the console wrote it')
  .option('--checkpoint <path>', 'the newest checkpoint of the tenant from before the restore')
  .option('--yes', 'do not ask. Required without a terminal')
  .action(async (path, options) => {
    const { checkpoint, yes, tenant, json } = options;
    // If the process ends early, changes might be left.
    process.exitCode = exitCodes.refused;
    const text = checkpoint === undefined ? undefined : readCheckpointFile(checkpoint);
    const { left, isAcknowledged } = await withTenant(options, async (operator) => {
      const lost = await readLost(operator, path, text);
      const undone: Undone[] = [];
      for (const loss of lost.losses) {
        const found = await undoneOf(operator, loss);
        if (found) undone.push(found);
      }
      const rows = undone.map((one) => rowOf(one));
      if (!json) printResults(rows, columns, options);
      const toRepeat = undone.filter(({ repeat }) => typeof repeat !== 'string').length;
      const repeats = toRepeat > 0 && lost.unproven === undefined;
      if (repeats) {
        const count = toRepeat === 1 ? '1 change' : `${toRepeat} changes`;
        await requireYes(yes, `${count} that the lost log made will be made again, and cannot be undone.`);
      } else if (toRepeat > 0) note(`Nothing was changed. ${lost.unproven}`);
      let repeated = 0;
      for (const one of undone) {
        const { loss, action, repeat } = one;
        const reason = typeof repeat === 'string' ? repeat : repeats && (await refusalOf(repeat()));
        if (reason) note(`By hand: ${action} of ${loss.id} (entry ${loss.entryId}): ${reason}`);
        else if (repeats) repeated++;
        if (json) printJson(rowOf({ ...one, repeat: reason || repeat }, repeats ? 'repeated' : undefined));
      }
      if (repeats) note(`Repeated ${repeated} of ${toRepeat}.`);
      return { left: undone.length - repeated, isAcknowledged: lost.isAcknowledged };
    });
    if (left > 0) return;
    process.exitCode = exitCodes.ok;
    if (!isAcknowledged) {
      next(`\`eaas audit acknowledge-restore --tenant ${asWord(tenant)} --reason "…"\``, options);
    }
  });

const columns = ['entry_id', 'action', 'id', 'name', 'state'] as const;

function rowOf({ loss, name, action, repeat }: Undone, state = 'to repeat') {
  const isByHand = typeof repeat === 'string';
  return { entry_id: loss.entryId, action, id: loss.id, name, state: isByHand ? 'by hand' : state };
}

/** Returns why the service refuses, if what was restored is the reason. */
const refusalOf = (work: Promise<unknown>): Promise<string | undefined> =>
  work.then(
    () => undefined,
    (error: unknown) => {
      const { exit, message } = failureOf(error);
      if (exit === exitCodes.refused || exit === exitCodes.usage) return message ?? undefined;
      throw error;
    },
  );

/** Verifies the file, and returns what it has after the entry that was restored. */
async function readLost(operator: Operator, path: string, text: string | undefined) {
  const { service, tenantId } = operator;
  const stated = text === undefined ? undefined : await readCheckpoint(operator, text);
  const { ends, isAcknowledged } = await restoredEnds(service, tenantId);
  const newest = Array.from(ends.keys()).at(-1) ?? 0;
  const losses: Loss[] = [];
  let restoredId: number | undefined;
  const { tenant_id, errors, first_id, last_id } = await verifyEntries(path, stated, {
    see(entry) {
      const { id, hash } = entry;
      // Without an entry, the log is at its beginning, which the first entry of the file follows.
      if (id === 1 && ends.has(0)) restoredId = 0;
      if (ends.get(id) === hash) restoredId = id;
      const loss = lossIn(entry);
      if (loss) losses.push(loss);
    },
  });
  if (tenant_id !== tenantId) {
    throw conflict(
      `The file ${path} has the log of the tenant ${tenant_id}, and not of ${tenantId}: pass the export of this tenant.`,
    );
  }
  const [error] = errors;
  if (error) {
    throw conflict(
      `The file ${path} was changed, is not whole, or is not what the checkpoint states: ${error.reason} at entry ` +
        `${error.id}. \`eaas audit verify-file\` lists all findings.`,
    );
  }
  if (restoredId === undefined || (restoredId === last_id && restoredId < newest)) {
    throw conflict(
      `The file ${path}, with the entries ${first_id} to ${last_id}, does not have entry ${newest}, the newest of ` +
        'the restored log, so it does not continue this log. Pass a file that begins earlier, and run the command before ' +
        '`eaas serve` and before any other change.',
    );
  }
  const after = restoredId;
  // Throws Refusal unless the log is whole from this entry to its head.
  const pages = entriesAfter(service, tenantId, { id: after, hash: ends.get(after) ?? null }, true);
  while (!(await pages.next()).done);
  const lost = losses.filter(({ entryId }) => entryId > after);
  return {
    losses: lastOfEach(lost),
    /** Why the file does not prove its changes, if it does not. */
    unproven: doubt(lost.at(-1)?.entryId ?? after, stated?.id),
    /** Whether an earlier run was followed by an entry that says so, or nothing was lost. */
    isAcknowledged: isAcknowledged || after === last_id,
  };
}

/** Returns the entry that a checkpoint of the tenant names. Throws Refusal for any other text. */
async function readCheckpoint({ tenantId, ask }: Operator, text: string) {
  const { verifier_key } = await ask('GET /v1/audit/checkpoint', {});
  const stated = await openCheckpoint(text, verifier_key);
  if (stated?.tenant_id !== tenantId) throw foreignCheckpoint();
  return { tenantId, id: stated.id, hash: stated.hash };
}

/**
 * The newest entries of the restored log by id, with their hashes: one of them is the entry that was restored. Without the
 * entries of an earlier run, which are the operator's, it is the newest.
 */
async function restoredEnds(service: Service, tenantId: string) {
  const { anchor } = (await readLog(service, tenantId, 0, 1)) ?? {};
  const ends = new Map([[anchor?.id ?? 0, toHex(anchor?.hash ?? genesisHash(tenantId))]]);
  let isAcknowledged = false;
  for await (const { entries } of entriesAfter(service, tenantId, { id: 0, hash: null })) {
    for (const { id, hash, actor, metadata } of entries) {
      if (actor !== 'operator') ends.clear();
      isAcknowledged = actor === 'operator' && (isAcknowledged || metadata?.['restored'] === true);
      ends.set(id, hash);
    }
  }
  return { ends, isAcknowledged };
}

function doubt(lastChange: number, stated: number | undefined): string | undefined {
  if (stated === undefined) {
    return `Pass --checkpoint, with a checkpoint at or after entry ${lastChange}: without it nobody knows who wrote the file.`;
  }
  if (stated < lastChange) {
    return `The checkpoint proves the file up to entry ${stated}, but its last change is entry ${lastChange}: pass a newer checkpoint.`;
  }
  return undefined;
}
