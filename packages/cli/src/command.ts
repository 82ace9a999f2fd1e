import { command as plainCommand } from './kit/index.ts';
import { parseUuid } from '@eaas/protocol';
import { limits, type Output } from '@eaas/protocol/wire';
import {
  type Caller,
  insider,
  type OpenService,
  openService,
  operations,
  Refusal,
  requireTenantId,
  type Service,
} from '@eaas/server/internal';
import type { Command } from 'commander';
import { type Config, readConfig } from './config.ts';
import { orNotFound } from './failure.ts';
import { note, printResults, type Reporting } from './output.ts';
import { fieldsOf } from './values.ts';

export interface OnTenant extends Reporting {
  readonly tenant: string;
}

/** Makes a command of `eaas`. The examples are what follows `eaas`. */
export function command(name: string, description: string, examples: readonly string[] = []): Command {
  return plainCommand(
    name,
    description,
    examples.map((example) => `eaas ${example}`),
  );
}

export function reporting(name: string, description: string, examples: readonly string[]): Command {
  return command(name, description, examples).option(
    '--json',
    'print each result as one line of JSON, and nothing else',
  );
}

export function onTenant(name: string, description: string, examples: readonly string[]): Command {
  return reporting(name, description, examples).requiredOption(
    '--tenant <tenant>',
    "the tenant's id or name",
  );
}

export function group(name: string, description: string, commands: readonly Command[]): Command {
  const made = command(name, description);
  for (const each of commands) made.addCommand(each);
  return made;
}

export function requireConfig(usesDevelopmentData = true): Config {
  const config = readConfig(undefined, { usesDevelopmentData });
  for (const warning of config.warnings) note(`Warning: ${warning}`);
  return config;
}

export async function withService<T>(work: (open: OpenService, config: Config) => Promise<T>): Promise<T> {
  const config = requireConfig();
  const open = await openService(config, 'command');
  try {
    return await work(open, config);
  } finally {
    await open.close();
  }
}

export function withTenant<T>(
  { tenant }: OnTenant,
  work: (service: Service, operator: Caller) => Promise<T>,
): Promise<T> {
  return withService(async ({ service }) =>
    work(service, insider(await requireTenantId(service, tenant), 'operator')),
  );
}

interface Page {
  readonly limit: number;
  readonly offset: number;
}

/** Makes the command that lists what a tenant has, newest first. The first column is the id. */
export function listCommand<Row extends object>(
  of: string,
  description: string,
  columns: readonly [keyof Row & string, ...(keyof Row & string)[]],
  read: (service: Service, operator: Caller, query: Page) => Promise<readonly Row[]>,
  example = '--json',
): Command {
  const examples = [`${of} list --tenant acme`, `${of} list --tenant acme ${example}`];
  return onTenant('list', description, examples).action(async (options: OnTenant) => {
    const rows = await withTenant(options, (service, operator) =>
      allPages((page) => read(service, operator, { ...fieldsOf(options), ...page }), columns[0]),
    );
    printResults(rows, columns, options);
  });
}

/** A row that is added between two pages moves all later rows, so a page can repeat rows of the page before. */
export async function allPages<Row extends object>(
  read: (page: Page) => Promise<readonly Row[]>,
  id: keyof Row & string,
): Promise<Row[]> {
  const all = new Map<unknown, Row>();
  const limit = limits.pageMaximum;
  for (let offset = 0; ; offset += limit) {
    const rows = await read({ limit, offset });
    for (const row of rows) all.set(row[id], row);
    if (rows.length < limit) return [...all.values()];
  }
}

type Key = Output<'POST /v1/keys'>;

export async function requireKey(service: Service, operator: Caller, idOrName: string): Promise<Key> {
  const missing = `The tenant has no key with this id or name: \`eaas key list --tenant ${operator.tenantId}\` lists them.`;
  const keyId = parseUuid(idOrName);
  if (keyId)
    return orNotFound(missing, operations['GET /v1/keys/:key_id'](service, operator, { key_id: keyId }));
  const { keys } = await operations['GET /v1/keys'](service, operator, { name: idOrName });
  const key = keys.find(({ status }) => status !== 'destroyed') ?? keys[0];
  if (!key) throw new Refusal('not_found', missing);
  return key;
}

export type OnKey<T> = (service: Service, operator: Caller, input: { readonly key_id: string }) => Promise<T>;

export function withKey<T>(options: OnTenant, idOrName: string, run: OnKey<T>): Promise<T> {
  return withTenant(options, async (service, operator) => {
    const { key_id } = await requireKey(service, operator, idOrName);
    return run(service, operator, { key_id });
  });
}
