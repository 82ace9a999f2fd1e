import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { createSecureContext } from 'node:tls';
import { setFlagsFromString } from 'node:v8';
import type { FastifyInstance } from 'fastify';
import { CannotStart, reasonOf } from './cannot-start.ts';
import type { Config } from './config.ts';
import { type AppOptions, createApp } from './http/app.ts';
import { readConsolePages } from './http/console-pages.ts';
import type { ConsoleOptions } from './http/console.ts';
import { openDoors } from './http/doors.ts';
import type { ServerState } from './http/service-metrics.ts';
import { countUsage, recordLastUses } from './jobs/count-usage.ts';
import { settleDueKeys } from './jobs/due-keys.ts';
import { keepCheckpoints } from './jobs/keep-checkpoints.ts';
import { type Lease, withLease } from './jobs/lease.ts';
import { lastVerification, nightlyVerify } from './jobs/nightly-verify.ts';
import { purge } from './jobs/purge.ts';
import { repairDirectories } from './jobs/repair-directories.ts';
import { type Job, type JobReport, startJobs } from './jobs/schedule.ts';
import { openService } from './open-service.ts';
import type { Service } from './service.ts';
import { isDriverFault } from './store/faults.ts';

interface State {
  jobs: readonly JobReport[];
  verified: ServerState['verified'];
}

export interface Development {
  readonly signIn: NonNullable<ConsoleOptions['signIn']>;
  readonly announce: (address: string, hasPages: boolean) => Promise<void>;
}

/**
 * The configuration and the port are checked first, so that a failed start creates no data directory and no root key.
 */
export async function serve(
  config: Config,
  develop?: (service: Service) => Promise<Development>,
): Promise<void> {
  // By default, V8 lets a small heap grow to several times the size of its live objects.
  setFlagsFromString('--heap-growing-percent=100');
  const report = surviveDriverFaults();
  const options = await appOptions(config);
  const release = await reservePort(config).catch(refusePort);
  const { service, warnings, close } = await openService(config, 'serve');
  const state: State = { jobs: [], verified: undefined };
  const development = await develop?.(service).catch(async (error: unknown) => {
    await close();
    throw error;
  });
  const app = createApp(openDoors(service, state), withSignIn(options, development));
  for (const warning of warnings) app.log.warn(warning);
  report.to = app.log;
  service.alarms.log = (fields, message) => app.log.error(fields, message);
  try {
    await release();
    await app.listen({ host: config.host, port: config.port }).catch(refusePort);
    const address = addressOf(app, config);
    if (development) await development.announce(address, Boolean(options.console?.pages));
    else process.stdout.write(`Eaas listens on ${address} (API reference: ${address}/docs)\n`);
  } catch (error) {
    await app.close();
    await close();
    throw error;
  }
  const jobs = startJobs(jobsOf(service, config, app, state), (job, error) => {
    service.alarms.failed(error);
    app.log.error({ job, err: error }, 'a job failed and will run again');
  });
  state.jobs = jobs.reports;

  await Promise.race([once(process, 'SIGTERM'), once(process, 'SIGINT')]);
  await app.close();
  await jobs.stop();
  await close();
  // The process must exit even if a connection to a database that does not respond is still open.
  setTimeout(() => process.exit(), 500).unref();
}

export async function reservePort({
  host,
  port,
}: Pick<Config, 'host' | 'port'>): Promise<() => Promise<void>> {
  const server = createServer((socket) => socket.destroy());
  // The reserved port must not keep the process alive if the start fails later.
  server.listen({ host, port }).unref();
  await once(server, 'listening');
  return async () => {
    server.close();
    await once(server, 'close');
  };
}

function refusePort(error: unknown): never {
  throw cannotUse('EAAS_HOST and EAAS_PORT', error);
}

function cannotUse(variables: string, error: unknown): CannotStart {
  return new CannotStart(`${variables} cannot be used: ${reasonOf(error)}.`, { cause: error });
}

function jobsOf(service: Service, config: Config, app: FastifyInstance, state: State): Job[] {
  const onBroken: Parameters<typeof nightlyVerify>[2] = (tenantId, findings) => {
    app.log.error({ tenant_id: tenantId, findings }, 'the audit chain of a tenant is broken');
  };
  const { auditRetentionMonths, checkpointDirectory: directory } = config;
  const readVerified = async (): Promise<void> => {
    state.verified = await lastVerification(service);
  };
  const leased = (name: string, everySeconds: number, run: (lease: Lease) => Promise<void>): Job => ({
    name,
    everySeconds,
    run: async (signal) => void (await withLease(service, name, signal, run)),
  });
  const keep = (path: string): Job => ({
    name: 'checkpoints',
    everySeconds: 3_600,
    run: (signal) => keepCheckpoints(service, path, signal),
  });
  return [
    { name: 'last_uses', everySeconds: 20, run: () => recordLastUses(service) },
    leased('due_keys', 10, (lease) => settleDueKeys(service, lease)),
    leased('count_usage', 20, (lease) => countUsage(service, lease)),
    leased('directories', 3_600, (lease) => repairDirectories(service, lease)),
    leased('purge', 3_600, (lease) => purge(service, auditRetentionMonths, lease)),
    leased('verify', 600, (lease) => nightlyVerify(service, lease, onBroken)),
    { name: 'verified', everySeconds: 60, run: readVerified },
    ...(directory === null ? [] : [keep(directory)]),
  ];
}

async function appOptions(config: Config): Promise<AppOptions> {
  const { tlsFiles, trustProxy, logLevel, publicUrl } = config;
  const tls = tlsFiles && (await readTls(tlsFiles));
  const console = config.console ? { pages: await readConsolePages(), publicUrl } : undefined;
  return { logLevel, ...(tls && { tls }), ...(trustProxy && { trustProxy }), ...(console && { console }) };
}

function withSignIn(options: AppOptions, development: Development | undefined): AppOptions {
  if (!options.console || !development) return options;
  return { ...options, console: { ...options.console, signIn: development.signIn } };
}

async function readTls(files: { cert: string; key: string }): Promise<{ cert: Buffer; key: Buffer }> {
  try {
    const tls = { cert: await readFile(files.cert), key: await readFile(files.key) };
    createSecureContext(tls);
    return tls;
  } catch (error) {
    throw cannotUse('EAAS_TLS_CERT_FILE and EAAS_TLS_KEY_FILE', error);
  }
}

function addressOf(app: FastifyInstance, { host, tlsFiles }: Config): string {
  const { port } = app.server.address() as AddressInfo;
  return `${tlsFiles ? 'https' : 'http'}://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

function surviveDriverFaults(): { to: FastifyInstance['log'] | undefined } {
  const report: { to: FastifyInstance['log'] | undefined } = { to: undefined };
  process.on('uncaughtException', (error) => {
    if (isDriverFault(error)) {
      report.to?.error({ err: error }, 'the database connection broke and is being replaced');
      return;
    }
    if (report.to) report.to.fatal({ err: error }, 'an unexpected error');
    else process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
    process.exit(70);
  });
  return report;
}
