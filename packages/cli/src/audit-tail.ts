import { printJson } from '@eaas/cli-kit';
import { inLine } from '@eaas/protocol/internal';
import { type AuditAction, auditActions } from '@eaas/protocol/wire';
import { Option } from 'commander';
import { type Caller, operations, Refusal, type Service, type ShownEntry } from '@eaas/server/internal';
import { type OnTenant, onTenant, requireKey, withTenant } from './command.ts';
import { exportAudit } from './export-audit.ts';
import { note } from './output.ts';
import { pollUntil, shortestPause, untilSignal } from './poll.ts';
import { entryLine } from './stream-formats.ts';
import { wholeNumber } from './values.ts';

const searched = 10_000;

interface Options extends OnTenant {
  readonly last: number;
  readonly key?: string;
  readonly action?: AuditAction;
  readonly actor?: string;
  readonly follow: boolean;
}

export const auditTail = onTenant(
  'tail',
  "Follow a tenant's audit log. Prints the newest entries, and then each new entry until Ctrl-C.",
  [
    'audit tail --tenant acme',
    'audit tail --tenant acme --key patients --action key.unwrap',
    'audit tail --tenant acme --actor operator --last 100 --no-follow --json',
  ],
)
  .option('--last <number>', 'begin with this number of the newest entries', wholeNumber, 10)
  .option('--key <key>', 'only entries of the key with this id or name')
  .addOption(new Option('--action <action>', 'only entries with this action').choices(auditActions))
  .option('--actor <actor>', 'only entries of this actor: operator, system, or the id of an API key')
  .option('--no-follow', 'print the newest entries and exit')
  .action((options: Options) =>
    withTenant(options, (service, operator) => printEntries(service, operator, options)),
  );

async function printEntries(
  service: Service,
  operator: Caller,
  { key, action, actor, last, follow, json }: Options,
): Promise<void> {
  const print = json ? printJson : linePrinter(service, operator);
  const keyId = key && (await requireKey(service, operator, key)).key_id;
  const isWanted = (entry: ShownEntry): boolean =>
    (!keyId || entry.key_id === keyId) &&
    (!action || entry.action === action) &&
    (!actor || entry.actor === actor);
  const [head] = (await operations['GET /v1/audit'](service, operator, { limit: 1 })).logs;
  let next = Math.max(1, (head?.id ?? 0) + 1 - Math.max(last, searched));
  async function* unread(): AsyncGenerator<ShownEntry> {
    for await (const { entries } of exportAudit(service, operator.tenantId, next)) {
      for (const entry of entries) {
        if (isWanted(entry)) yield entry;
        // `next` changes only after the caller has processed the entry. After a database failure, the next poll
        // therefore begins with the first entry that was not printed.
        next = entry.id + 1;
      }
    }
  }

  const newest: ShownEntry[] = [];
  for await (const entry of unread()) {
    newest.push(entry);
    if (newest.length > last) newest.shift();
  }
  for (const entry of newest) await print(entry);
  if (newest.length === 0 && !follow && !json) note('None.');
  if (!follow) return;
  const stop = untilSignal();
  if (!json) note('Waiting for new entries. Press Ctrl-C to stop.');
  await pollUntil(stop, async () => {
    for await (const entry of unread()) await print(entry);
    return shortestPause;
  });
}

function linePrinter(service: Service, operator: Caller): (entry: ShownEntry) => Promise<void> {
  const keyName = named(
    async (key_id) =>
      (await operations['GET /v1/keys/:key_id'](service, operator, { key_id, limit: 1 })).name,
  );
  const actorName = named(
    async (api_key_id) =>
      (await operations['GET /v1/api-keys/:api_key_id'](service, operator, { api_key_id })).name,
  );
  return async (entry) => {
    const { id, created_at, key_id, actor } = entry;
    const isApiKey = actor !== 'operator' && actor !== 'system';
    const by = isApiKey ? await actorName(actor) : actor;
    const line = entryLine(entry, [created_at, `#${id}`], key_id && (await keyName(key_id)), by);
    process.stdout.write(`${line}\n`);
  };
}

function named(look: (id: string) => Promise<string>): (id: string) => Promise<string> {
  const names = new Map<string, string>();
  return async (id) => {
    const known = names.get(id);
    if (known !== undefined) return known;
    try {
      const name = `${inLine(await look(id))} (${id.slice(0, 8)})`;
      names.set(id, name);
      return name;
    } catch (error) {
      if (error instanceof Refusal) return id;
      throw error;
    }
  };
}
