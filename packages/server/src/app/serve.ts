// A server from its options to its end: checks, opens the service, serves, runs the jobs, and stops in order.
import { once } from 'node:events';
import { setFlagsFromString } from 'node:v8';
import type { FastifyBaseLogger } from 'fastify';
import { isDriverFault } from '../store/faults.ts';
import { stretchTimeLimits } from '../base/time-limit.ts';
import { bridgeMetrics, connectTelemetry, tracedJob } from '../base/tracing.ts';
import { type AppOptions, createApp } from '../http/app.ts';
import { type ConsoleOptions, readApiPage, readConsolePages } from '../http/console.ts';
import { openDoors } from '../http/doors.ts';
import { addressOf, announce, freePort, hostsOf, listenOn, readTls, refuseAddress } from '../http/listen.ts';
import type { ServerState } from '../http/metrics.ts';
import { countUsage, recordLastUses, settleDueKeys } from '../jobs/housekeeping.ts';
import { type Job, startJobs, withLease } from '../jobs/schedule.ts';
import { purge } from '../jobs/purge.ts';
import { lastNight, verifyNightly } from '../jobs/verify-nightly.ts';
import { measure } from '../store/measurements.ts';
import { type OpenService, openService } from './open-service.ts';
import type { JobContext, ServeOptions } from './options.ts';
import type { Service } from './service.ts';

/** What a server for development adds. */
export interface Development {
  readonly signIn: NonNullable<ConsoleOptions['signIn']>;
  readonly announce: (address: string, hasPages: boolean) => Promise<void>;
}

/**
 * Serves until SIGTERM or SIGINT. Checks the options and the port first, so that a failed start creates no data
 * directory and no root key.
 */
export async function serve(
  options: ServeOptions,
  develop?: (service: Service) => Promise<Development>,
): Promise<void> {
  if (options.stretch !== undefined) stretchTimeLimits(options.stretch);
  const report = prepareProcess();
  const app = await appOptionsOf(options);
  if (options.lastPort === undefined) await freePort(options).catch(refuseAddress(options));
  const open = await openService(options, 'serve');
  const development = await develop?.(open.service).catch(async (error: unknown) => {
    await open.close();
    throw error;
  });
  const stop = await startAppAndJobs({ options, open, report, app, development });
  await Promise.race([once(process, 'SIGTERM'), once(process, 'SIGINT')]);
  await stop();
  // A connection to an unresponsive database can still be open.
  setTimeout(() => process.exit(), 500).unref();
}

/** Reads the files that the HTTP server needs. */
async function appOptionsOf(options: ServeOptions): Promise<AppOptions> {
  const { tlsFiles, trustProxy, logLevel, publicUrl } = options;
  const tls = tlsFiles && (await readTls(tlsFiles));
  const console = options.console
    ? { pages: await readConsolePages(options.playground), publicUrl }
    : undefined;
  const apiPage = await readApiPage();
  return {
    logLevel,
    apiPage,
    ...(tls && { tls }),
    ...(trustProxy && { trustProxy }),
    ...(console && { console }),
  };
}

interface AppAndJobs {
  readonly options: ServeOptions;
  readonly open: OpenService;
  readonly app: AppOptions;
  readonly report: Report;
  readonly development: Development | undefined;
}

/** Starts the HTTP server and the jobs of an open service. Returns a function that stops both. */
async function startAppAndJobs({
  options,
  open,
  app: appOptions,
  report,
  development,
}: AppAndJobs): Promise<() => Promise<void>> {
  const { service, warnings, close } = open;
  for (const { publicLog } of options.extras) if (publicLog) service.publicLog = publicLog(service);
  const state: ServerState = { jobs: [], verified: undefined };
  await connectTelemetry();
  const doors = openDoors(service, state);
  const app = createApp(doors, withSignIn(appOptions, development));
  for (const warning of warnings) app.log.warn(warning);
  report.to = app.log;
  service.alarms.log = (fields, message) => app.log.error(fields, message);
  try {
    const port = await listenOn(app, await hostsOf(options.host), options).catch(refuseAddress(options));
    const address = addressOf(options, port);
    if (development) await development.announce(address, Boolean(appOptions.console?.pages));
    else announce(address);
  } catch (error) {
    await app.close();
    await close();
    throw error;
  }
  await bridgeMetrics(doors.registry);
  const leased: JobContext['leased'] = (name, everySeconds, run) => ({
    name,
    everySeconds,
    run: async (signal) => void (await withLease(service, name, signal, run)),
  });
  const { registry } = doors;
  const context = { service, state, registry, log: app.log, leased };
  const traceable = jobsOf(options, context).map(inSpan);
  const jobs = startJobs(traceable, (job, error) => {
    service.alarms.failed(error);
    app.log.error({ job, err: error }, 'a job failed and will run again');
  });
  state.jobs = jobs.reports;
  return async () => {
    await app.close();
    await jobs.stop();
    // The job `last_uses` stores the last uses of API keys only every 20 s. The uses since its last run must therefore
    // be stored before the process ends.
    await recordLastUses(service, 1_000).catch((error: unknown) =>
      app.log.warn({ job: 'last_uses', err: error }, 'the last uses of API keys could not be stored'),
    );
    await close();
  };
}

function withSignIn(app: AppOptions, development: Development | undefined): AppOptions {
  if (!app.console || !development) return app;
  return { ...app, console: { ...app.console, signIn: development.signIn } };
}

const inSpan = (job: Job): Job => ({ ...job, run: (signal) => tracedJob(job.name, () => job.run(signal)) });

function jobsOf({ auditRetentionMonths, extras }: ServeOptions, context: JobContext): Job[] {
  const { service, state, log, leased } = context;
  const readMeasured = async (): Promise<void> => {
    const now = service.clock.now();
    state.measured = await service.background.run((sql) => measure(sql, now), 30_000);
  };
  return [
    { name: 'forget_unused', everySeconds: 300, run: async () => service.tenants.remembered.forgetUnused() },
    { name: 'last_uses', everySeconds: 20, run: () => recordLastUses(service) },
    leased('due_keys', 10, (lease) => settleDueKeys(service, lease)),
    leased('count_usage', 20, (lease) => countUsage(service, lease)),
    leased('purge', 3_600, (lease) => purge(service, auditRetentionMonths, lease)),
    { name: 'measure', everySeconds: 1_800, run: readMeasured },
    leased('verify', 600, (lease) =>
      verifyNightly(service, lease, (tenantId, findings) => {
        log.error({ tenant_id: tenantId, findings }, 'the audit chain of a tenant is broken');
      }),
    ),
    {
      name: 'verified',
      everySeconds: 60,
      run: async () => {
        state.verified = await lastNight(service);
      },
    },
    ...extras.flatMap((extra) => extra.jobs?.(context) ?? []),
  ];
}

interface Report {
  to: Pick<FastifyBaseLogger, 'error' | 'fatal'> | undefined;
}

/** Limits the growth of the heap, and lets the process survive errors that the database driver throws in timers. */
function prepareProcess(): Report {
  // By default, V8 lets a small heap grow to several times the size of its live objects.
  setFlagsFromString('--heap-growing-percent=100');
  const report: Report = { to: undefined };
  process.prependListener('uncaughtException', (error) => {
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
