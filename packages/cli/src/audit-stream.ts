import { fdatasync, fstatSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { promisify } from 'node:util';
import { formatTimestamp } from '@eaas/protocol/wire';
import { Closed, listHeads, requireTenantId, type Service, Tampered } from '@eaas/server/internal';
import { Option } from 'commander';
import { command, withService } from './command.ts';
import { exitCodes } from './failure.ts';
import { newEntries, type Notice } from './new-entries.ts';
import { note, write } from './output.ts';
import { pollUntil, shortestPause, untilSignal } from './poll.ts';
import { type Cursor, openCursor } from './stream-cursor.ts';
import { type Format, formats, formatters } from './stream-formats.ts';
import { list } from './values.ts';

interface Options {
  readonly cursor: string;
  readonly tenants?: readonly string[];
  readonly format: Format;
  readonly follow: boolean;
}

interface Stream {
  readonly service: Service;
  readonly cursor: Cursor;
  readonly output: Output;
  readonly format: Format;
  readonly stop: AbortSignal;
  readonly broken: Set<string>;
}

/**
 * If no entries are left to send, the pause is this number of times as long as the poll. Polls read the log heads of
 * all tenants, so an idle stream polls for less than 5 % of the time.
 */
const pausePerPoll = 20;

export const auditStream = command(
  'stream',
  'Write the audit logs of all tenants to standard output. Continues as the logs grow, for a log shipper, and verifies ' +
    'each entry. After a restart or a crash, continues at the position in the cursor file. The last entries can then ' +
    'appear twice.',
  [
    'audit stream --cursor /var/lib/eaas/audit.cursor',
    'audit stream --cursor acme.cursor --tenants acme --format syslog',
    'audit stream --cursor audit.cursor --no-follow >> audit.ndjson',
  ],
)
  .requiredOption(
    '--cursor <file>',
    'the file that stores the position in each log; created if it is missing',
  )
  .option('--tenants <list>', 'only these tenants (ids or names); by default all tenants', list)
  .addOption(new Option('--format <format>', 'the format of each line').choices(formats).default('ndjson'))
  .option('--no-follow', 'write the entries that exist now and exit')
  .action((options: Options) =>
    withService(async ({ service }) => {
      const wanted = options.tenants && (await idsOf(service, options.tenants));
      const output = await openOutput();
      const cursor = await openCursor(options.cursor, { resend: output.unread, flush: output.flush });
      const stop = options.follow ? untilSignal() : new AbortController().signal;
      const { format } = options;
      const stream = { service, cursor, output, format, stop, broken: new Set<string>() };
      if (options.follow) await follow(stream, wanted);
      else while (await sendRound(stream, wanted));
      await cursor.close();
      process.exitCode = stream.broken.size > 0 ? exitCodes.refused : exitCodes.ok;
    }),
  );

async function idsOf(service: Service, tenants: readonly string[]): Promise<ReadonlySet<string>> {
  return new Set(await Promise.all(tenants.map((tenant) => requireTenantId(service, tenant))));
}

async function follow(stream: Stream, wanted: ReadonlySet<string> | undefined): Promise<void> {
  const { stop, cursor } = stream;
  await pollUntil(stop, async () => {
    const startedAt = performance.now();
    try {
      const isMore = await sendRound(stream, wanted);
      return isMore ? 0 : Math.max(shortestPause, pausePerPoll * (performance.now() - startedAt));
    } finally {
      await cursor.save();
    }
  });
}

/** Sends a limited part of each audit log, so that a long log does not delay other logs. */
async function sendRound(stream: Stream, wanted: ReadonlySet<string> | undefined): Promise<boolean> {
  const { service, cursor, broken, stop } = stream;
  let isMore = false;
  for (const { tenant_id: tenantId, id } of await service.database.run(listHeads, 30_000)) {
    if (stop.aborted) return false;
    const isDone = cursor.sent.get(tenantId)?.id === id;
    if (isDone || broken.has(tenantId) || wanted?.has(tenantId) === false) continue;
    if (await sendNew(stream, tenantId)) isMore = true;
  }
  return isMore;
}

const mostPieces = 20;

async function sendNew(stream: Stream, tenantId: string): Promise<boolean> {
  const { service, cursor, broken, stop, format, output } = stream;
  let pieces = 0;
  try {
    for await (const { entries, position, notice } of newEntries(
      service,
      tenantId,
      cursor.sent.get(tenantId),
    )) {
      const records = [...entries, ...(notice ? [noticeOf(stream, tenantId, notice)] : [])];
      const lines = records.map((record) => `${formatters[format](record)}\n`).join('');
      await output.write(lines);
      if (position) await cursor.advance(tenantId, position, Buffer.byteLength(lines));
      if (notice && notice.reason !== 'entries_purged') broken.add(tenantId);
      if (++pieces >= mostPieces || stop.aborted) return !broken.has(tenantId);
    }
  } catch (error) {
    // `Closed` means that the tenant was moved to another database. To continue, start a stream of that database with
    // the same cursor file.
    if (error instanceof Closed) return false;
    if (!(error instanceof Tampered)) throw error;
    const notice = noticeOf(stream, tenantId, { reason: 'row_changed', id: 0 });
    await output.write(`${formatters[format](notice)}\n`);
    broken.add(tenantId);
  }
  return false;
}

const messages: Readonly<Record<Notice['reason'], string>> = {
  entries_purged: 'Entries up to this id were purged before they were sent.',
  entry_changed: 'This entry is not authentic, so this entry and later entries of the tenant are not sent.',
  entry_missing: 'This entry is missing, so later entries of the tenant are not sent.',
  head_mismatch: 'The end of the log is not authentic, so later entries of the tenant are not sent.',
  log_went_back: 'The log no longer contains this entry, which was sent. Later entries are not sent.',
  row_changed: 'A row of the tenant is not authentic, so later entries of the tenant are not sent.',
};

function noticeOf({ service }: Stream, tenantId: string, { reason, id }: Notice) {
  const message = `${messages[reason]} Run \`eaas audit verify --tenant ${tenantId}\`.`;
  note(`${tenantId}, entry ${id}: ${message}`);
  const created_at = formatTimestamp(service.clock.now());
  return { tenant_id: tenantId, notice: reason, id, created_at, message };
}

const standardOutput = 1;
/**
 * The estimated maximum of bytes that the stream has written and its reader has not yet saved. A pipe on Linux holds up
 * to 208 KiB, and its reader can hold more in memory.
 */
const heldByReader = 1024 * 1024;

type Output = Awaited<ReturnType<typeof openOutput>>;

async function openOutput() {
  process.exitCode = exitCodes.cannotStart;
  process.stdout.prependListener('error', ({ code }: NodeJS.ErrnoException) => {
    if (code !== 'EPIPE') return;
    note('The reader of the standard output has ended. Entries that it might have lost are sent again.');
  });
  const isFile = fstatSync(standardOutput).isFile();
  if (isFile && !(await endsWithLine())) await write('\n');
  return {
    unread: isFile ? 0 : heldByReader,
    flush: isFile ? () => promisify(fdatasync)(standardOutput) : async () => {},
    write,
  };
}

/** A killed stream can leave an incomplete line. */
async function endsWithLine(): Promise<boolean> {
  const file = await open(`/dev/fd/${standardOutput}`, 'r').catch(() => undefined);
  if (!file) return true;
  try {
    const { size } = await file.stat();
    const { buffer } = await file.read(Buffer.alloc(1), 0, 1, Math.max(0, size - 1));
    return size === 0 || buffer.toString() === '\n';
  } finally {
    await file.close();
  }
}
