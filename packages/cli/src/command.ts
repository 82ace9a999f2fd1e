import { command as plainCommand } from './kit/index.ts';
import { limits } from '@eaas/protocol/wire';
import {
  type Caller,
  insider,
  type OpenService,
  openService,
  requireTenantId,
  type Service,
} from '@eaas/server/internal';
import type { Command } from 'commander';
import { type Config, readConfig } from './config.ts';
import { note, type Reporting } from './output.ts';

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
