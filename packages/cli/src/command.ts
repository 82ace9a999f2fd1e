// What all commands are made of: their options, the service that they open, and the tenant on which they act.
import type * as typed from '@commander-js/extra-typings';
import { type Input, limits, type Output, type Route } from '@eaas/protocol/wire';
import {
  insider,
  operations,
  type OpenService,
  openService,
  requireTenantId,
  type Service,
} from '@eaas/server/internal';
import * as commander from 'commander';
import { type Config, isRemote, notRemote, readConfig } from './config.ts';
import { command as plainCommand, WrongUsage } from './kit/index.ts';
import { note, type Reporting } from './output.ts';

export type AnyCommand = typed.CommandUnknownOpts;
/** An option whose flags say the type of its value, as those of a command do. */
export const Option: typeof typed.Option = commander.Option;
export const Argument: typeof typed.Argument = commander.Argument;

/** Makes a command of `eaas`. The examples are what follows `eaas`. */
export function command(name: string, description: string, examples: readonly string[] = []) {
  const lines = examples.map((example) => `eaas ${example}`);
  return plainCommand(name, description, lines) as unknown as typed.Command;
}

export const reporting = (name: string, description: string, examples: readonly string[]) =>
  command(name, description, examples).option(
    '--json',
    'print each result as one line of JSON, and nothing else',
  );

export const onTenant = (name: string, description: string, examples: readonly string[]) =>
  reporting(name, description, examples).requiredOption('--tenant <tenant>', "the tenant's id or name");

export interface OnTenant extends Reporting {
  readonly tenant: string;
}

export function group(
  name: string,
  description: string,
  commands: readonly (AnyCommand | commander.Command)[],
) {
  const made = command(name, description);
  for (const each of commands) made.addCommand(each as AnyCommand);
  // Not `env` of Commander, for which EAAS_REMOTE=0 means yes.
  made.hook('preSubcommand', (_, each) => {
    if (!knows(each, '--tenant') || !isRemote()) return;
    if (!knows(each, '--remote')) throw new WrongUsage(notRemote);
    each.setOptionValueWithSource('remote', true, 'env');
  });
  return made;
}

export const knows = ({ options }: Pick<AnyCommand, 'options'>, option: string): boolean =>
  options.some(({ long }) => long === option);

export function requireConfig(usesDevelopmentData = true): Config {
  const config = readConfig(undefined, { usesDevelopmentData });
  for (const warning of config.warnings) note(`Warning: ${warning}`);
  return config;
}

/** Loads the public log only if the command reads it, because the others should start at once. */
export async function withService<T>(
  work: (open: OpenService) => Promise<T>,
  readsLog: (config: Config) => boolean = () => false,
): Promise<T> {
  const config = requireConfig();
  const plugins = readsLog(config) ? [(await import('@eaas/log')).logReader()] : [];
  const open = await openService({ ...config, plugins }, 'command');
  try {
    return await work(open);
  } finally {
    await open.close();
  }
}

/** Who runs a command, and on which tenant. */
export interface Caller {
  /** The option by which another command finds this tenant. */
  readonly place: string;
  /** Calls an endpoint of the API. Throws Refusal. */
  readonly ask: <R extends Route>(route: R, input: Input<R>) => Promise<Output<R>>;
}

/** A caller with the database. */
export interface Operator extends Caller {
  readonly service: Service;
  readonly tenantId: string;
}

export const operatorOf = (service: Service, tenantId: string): Operator => ({
  service,
  tenantId,
  place: `--tenant ${tenantId}`,
  ask: (route, input) => operations[route](service, insider(tenantId, 'operator'), input),
});

export function withTenant<T>(
  { tenant }: OnTenant,
  work: (operator: Operator) => Promise<T>,
  readsLog = false,
): Promise<T> {
  const open = async ({ service }: OpenService) =>
    work(operatorOf(service, await requireTenantId(service, tenant)));
  return withService(open, () => readsLog);
}

/** A row that is added between two pages moves all later rows, so a page can repeat rows of the page before. */
export async function allPages<Row extends object>(
  read: (page: { readonly limit: number; readonly offset: number }) => Promise<readonly Row[]>,
  id: keyof Row & string,
): Promise<Row[]> {
  const all = new Map<unknown, Row>();
  const limit = limits.pageMaximum;
  for (let offset = 0; ; offset += limit) {
    const rows = await read({ limit, offset });
    const countBefore = all.size;
    for (const row of rows) all.set(row[id], row);
    // A service that repeats a page would otherwise keep a command for ever.
    const isLastPage = rows.length < limit || all.size === countBefore;
    if (isLastPage) return [...all.values()];
  }
}
