// `eaas audit follow`: prints audit logs as they grow, for a program that ships or watches them.
import { fdatasync, fstatSync } from 'node:fs';
import { open, readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { WrongUsage } from './kit/index.ts';
import { escapeHidden } from '@eaas/protocol/internal';
import {
  ifExists,
  isDatabaseFault,
  listHeads,
  Refusal,
  replaceFile,
  requireTenantId,
  type Service,
  Tampered,
} from '@eaas/server/internal';
import { command, Option, withService } from './command.ts';
import { cannotBe, objectIn } from './given-file.ts';
import { nextEntries, type Position } from './next-entries.ts';
import { note, write } from './output.ts';
import { wholeNumber } from './values.ts';

export const auditFollow = command(
  'follow',
  'Print audit entries as lines of JSON, and then each new entry. ' +
    'The oldest comes first, of all tenants or of one; SIGTERM or Ctrl-C ends it. Verifies that ' +
    'each entry continues its log, and ends with the exit code 1 if one does not. ' +
    'With --state, a restart continues where the last run ended; entries that were printed just before a crash are then ' +
    'printed again.',
  [
    'audit follow --tenant acme --once',
    'audit follow --state /var/lib/eaas/audit.state | vector --config vector.toml',
    'audit follow --tenant acme --from 1000',
  ],
)
  .option('--tenant <tenant>', 'only this tenant (id or name); by default all tenants')
  .option('--state <file>', 'the file that stores the position in each log; created if it is missing')
  .addOption(
    new Option('--from <id>', 'begin with the entry with this id; needs --tenant')
      .argParser(wholeNumber)
      .conflicts('state'),
  )
  .option('--once', 'print the entries that exist now, and end')
  .action(async ({ tenant, state, from, once }) => {
    if (from !== undefined && tenant === undefined) {
      throw new WrongUsage('--from needs --tenant, because each log counts its own entries.');
    }
    const { positions, save } = await openState(state);
    await withService(async ({ service }) => {
      const only = tenant === undefined ? undefined : await requireTenantId(service, tenant);
      if (only !== undefined && from !== undefined) {
        positions.set(only, { id: Math.max(0, from - 1), hash: null });
      }
      const { flush } = await openOutput();
      await follow(service, { only, once, positions, flush, save });
    });
  });

interface Following extends Awaited<ReturnType<typeof openState>>, Awaited<ReturnType<typeof openOutput>> {
  readonly only: string | undefined;
  readonly once: true | undefined;
}

const shortestPause = 1_000;
/** A pass reads the heads of all logs, so an idle command reads for less than 5 % of the time. */
const pausePerPass = 20;

async function follow(service: Service, { only, once, positions, flush, save }: Following): Promise<void> {
  const stop = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort());
  const isStopped = (): boolean => stop.signal.aborted;
  /** The head of each log when its last entry was printed by this process, or why no entry follows that one. */
  const ends = new Map<string, number | Refusal>();

  /** Prints a page of each log that has grown, so that a long log does not delay others. Returns whether there is more. */
  const pass = async (): Promise<boolean> => {
    let isMore = false;
    for (const { tenant_id: tenantId, id } of await service.database.run(listHeads, 30_000)) {
      if (isStopped()) break;
      const end = ends.get(tenantId);
      if (tenantId !== (only ?? tenantId) || end === id || end instanceof Refusal) continue;
      try {
        const last = positions.get(tenantId);
        const next = await nextEntries(service, tenantId, last);
        if (last && next.purgedTo !== undefined) {
          note(
            `${tenantId}: the entries ${last.id + 1} to ${next.purgedTo} were purged before they were printed.`,
          );
        }
        await write(next.entries.map((entry) => `${escapeHidden(JSON.stringify(entry))}\n`).join(''));
        positions.set(tenantId, next.position);
        ends.set(tenantId, next.fault ?? next.position.id);
        isMore ||= next.isMore;
      } catch (error) {
        if (!(error instanceof Tampered)) throw error;
        ends.set(tenantId, error);
      }
    }
    await flush();
    await save();
    return isMore;
  };

  let isReachable = true;
  while (!isStopped()) {
    const startedAt = performance.now();
    try {
      if (await pass()) continue;
      isReachable = true;
    } catch (error) {
      if (once || !isDatabaseFault(error)) throw error;
      if (isReachable) {
        note('The database cannot be reached. The output continues as soon as the database responds.');
      }
      isReachable = false;
    }
    for (const end of ends.values()) if (end instanceof Refusal) throw end;
    if (once) return;
    const pause = Math.max(shortestPause, pausePerPass * (performance.now() - startedAt));
    await sleep(pause, undefined, { signal: stop.signal }).catch(() => {});
  }
}

/** The last printed entry of each tenant. The file has them as one object of JSON. */
async function openState(path: string | undefined) {
  if (path === undefined) return { positions: new Map<string, Position>(), save: async () => {} };
  const fail = cannotBe('used', `state file ${path}`, 'check the path, the permissions and the free space');
  let saved = await ifExists(readFile(path, 'utf8')).catch(fail);
  const given = Object.entries(objectIn(saved ?? '{}') ?? { '': saved });
  if (!given.every(isOfState)) {
    throw new WrongUsage(`The file ${path} is not a state of \`eaas audit follow\`: pass another path.`);
  }
  const positions = new Map(given);
  const save = async (): Promise<void> => {
    const text = `${JSON.stringify(Object.fromEntries(positions), null, 1)}\n`;
    if (text === saved) return;
    await replaceFile(path, text).catch(fail);
    saved = text;
  };
  // Ends the command before it prints anything, if the file cannot be written.
  await save();
  return { positions, save };
}

function isOfState(member: [string, unknown]): member is [string, Position] {
  const { id, hash } = Object(member[1]) as Position;
  return Number.isSafeInteger(id) && (hash === null || /^[\da-f]{64}$/.test(hash));
}

/** Into a file, completes the line that a killed command left, and flushes what was written. */
async function openOutput() {
  const { fd } = process.stdout;
  if (!fstatSync(fd).isFile()) return { flush: async () => {} };
  const file = await open(`/dev/fd/${fd}`, 'r').catch(() => undefined);
  try {
    const { size } = (await file?.stat()) ?? { size: 0 };
    const end = size > 0 && (await file?.read(Buffer.alloc(1), 0, 1, size - 1));
    if (end && end.buffer.toString() !== '\n') await write('\n');
  } finally {
    await file?.close();
  }
  return { flush: () => promisify(fdatasync)(fd) };
}
