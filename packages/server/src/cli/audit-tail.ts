import { setTimeout as sleep } from 'node:timers/promises';
import { type AuditAction, auditActions } from '@eaas/protocol/wire';
import { Option } from 'commander';
import type { Caller } from '../caller.ts';
import type { ShownEntry } from '../operations/audit.ts';
import { operations } from '../operations/table.ts';
import { exportAudit } from '../operations/export-audit.ts';
import { Refusal } from '../refusal.ts';
import type { Service } from '../service.ts';
import { type OnTenant, onTenant, withTenant } from './command.ts';
import { requireKey } from './find-key.ts';
import { inLine, printJson } from './output.ts';
import { untilSignal } from './signals.ts';
import { wholeNumber } from './values.ts';

const pollEvery = 1_000;
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
    withTenant(options, async (service, operator) => {
      const print = options.json ? printJson : linePrinter(service, operator);
      for await (const entry of wantedEntries(service, operator, options)) await print(entry);
    }),
  );

async function* wantedEntries(
  service: Service,
  operator: Caller,
  { key, action, actor, last, follow }: Options,
): AsyncGenerator<ShownEntry> {
  const keyId = key && (await requireKey(service, operator, key)).key_id;
  const isWanted = (entry: ShownEntry): boolean =>
    (!keyId || entry.key_id === keyId) &&
    (!action || entry.action === action) &&
    (!actor || entry.actor === actor);
  const [head] = (await operations['GET /v1/audit'](service, operator, { limit: 1 })).logs;
  let next = Math.max(1, (head?.id ?? 0) + 1 - Math.max(last, searched));
  async function* unread(): AsyncGenerator<ShownEntry> {
    for await (const { entries } of exportAudit(service, operator.tenantId, next)) {
      next = (entries.at(-1)?.id ?? next) + 1;
      yield* entries.filter(isWanted);
    }
  }

  const newest: ShownEntry[] = [];
  for await (const entry of unread()) {
    newest.push(entry);
    if (newest.length > last) newest.shift();
  }
  yield* newest;
  const stop = follow ? untilSignal() : AbortSignal.abort();
  while (!stop.aborted) {
    await sleep(pollEvery, undefined, { signal: stop }).catch(() => {});
    yield* unread();
  }
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
  return async ({ id, created_at, action, key_id, key_version, actor, ip_address, metadata }) => {
    const key = key_id && `${await keyName(key_id)} ${key_version === null ? '' : `v${key_version}`}`.trim();
    const isApiKey = actor !== 'operator' && actor !== 'system';
    const words = [
      created_at,
      `#${id}`,
      action.padEnd(14),
      key ?? '-',
      `by ${isApiKey ? await actorName(actor) : actor}`,
      ip_address ? `from ${ip_address}` : '',
      Object.keys(metadata).length > 0 ? JSON.stringify(metadata) : '',
    ];
    process.stdout.write(`${words.filter((word) => word !== '').join('  ')}\n`);
  };
}

function named(look: (id: string) => Promise<string>): (id: string) => Promise<string> {
  const names = new Map<string, Promise<string>>();
  return (id) => {
    const known = names.get(id);
    if (known) return known;
    const name = look(id).then(
      (text) => `${inLine(text)} (${id.slice(0, 8)})`,
      (error: unknown) => {
        if (error instanceof Refusal) return id;
        throw error;
      },
    );
    names.set(id, name);
    return name;
  };
}
