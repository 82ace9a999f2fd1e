import type { FastifyInstance } from 'fastify';
import { createApp } from '../http/app.ts';
import { readConsolePages } from '../http/console-pages.ts';
import { type Doors, openDoors } from '../http/doors.ts';
import { bridgeMetrics } from '../http/otel-metrics.ts';
import type { AppOptions } from '../http/server-options.ts';
import type { ServerState } from '../http/service-metrics.ts';
import { countUsage } from '../jobs/count-usage.ts';
import { settleDueKeys } from '../jobs/due-keys.ts';
import { withLease } from '../jobs/lease.ts';
import { purge } from '../jobs/purge.ts';
import { recordLastUses } from '../jobs/record-last-uses.ts';
import { directoriesJob } from '../jobs/repair-directories.ts';
import { type Job, startJobs } from '../jobs/schedule.ts';
import { readTls } from './listen-address.ts';
import type { OpenService } from './open-service.ts';
import type { JobContext, ServeOptions } from './options.ts';
import type { Report } from './server-process.ts';
import { measure } from '../store/measurements.ts';
import { connectTelemetry, tracedJob } from '../base/tracing.ts';

export interface AppAndJobs {
  readonly config: ServeOptions;
  readonly open: OpenService;
  readonly app: AppOptions;
  readonly report: Report;
  readonly listen: (app: FastifyInstance) => Promise<void>;
  readonly wrap?: (doors: Doors) => Doors;
}

export async function startAppAndJobs(options: AppAndJobs): Promise<() => Promise<void>> {
  const { config, report, wrap = (doors: Doors) => doors } = options;
  const { service, warnings, close } = options.open;
  const state: ServerState = { jobs: [], verified: undefined };
  await connectTelemetry();
  const doors = openDoors(service, state);
  const app = createApp(wrap(doors), options.app);
  for (const warning of warnings) app.log.warn(warning);
  report.to = app.log;
  service.alarms.log = (fields, message) => app.log.error(fields, message);
  try {
    await options.listen(app);
  } catch (error) {
    await app.close();
    await close();
    throw error;
  }
  await bridgeMetrics(() => doors.metrics());
  const leased: JobContext['leased'] = (name, everySeconds, run) => ({
    name,
    everySeconds,
    run: async (signal) => void (await withLease(service, name, signal, run)),
  });
  const traceable = jobsOf(config, { service, state, log: app.log, worker: options.app.worker, leased }).map(
    inSpan,
  );
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

const inSpan = (job: Job): Job => ({ ...job, run: (signal) => tracedJob(job.name, () => job.run(signal)) });

function jobsOf({ auditRetentionMonths, extras }: ServeOptions, context: JobContext): Job[] {
  const { service, state, leased } = context;
  const readMeasured = async (): Promise<void> => {
    const now = service.clock.now();
    state.measured = await service.background.run((sql) => measure(sql, now), 30_000);
  };
  const repair = directoriesJob();
  return [
    { name: 'forget_unused', everySeconds: 300, run: async () => service.tenants.remembered.forgetUnused() },
    { name: 'last_uses', everySeconds: 20, run: () => recordLastUses(service) },
    leased('due_keys', 10, (lease) => settleDueKeys(service, lease)),
    leased('count_usage', 20, (lease) => countUsage(service, lease)),
    leased('directories', 3_600, (lease) => repair(service, lease)),
    leased('purge', 3_600, (lease) => purge(service, auditRetentionMonths, lease)),
    { name: 'measure', everySeconds: 1_800, run: readMeasured },
    ...extras.flatMap((extra) => extra.jobs?.(context) ?? []),
  ];
}

export async function appOptions(config: ServeOptions): Promise<AppOptions> {
  const { tlsFiles, trustProxy, logLevel, publicUrl } = config;
  const tls = tlsFiles && (await readTls(tlsFiles));
  const console = config.console
    ? { pages: await readConsolePages(config.playground), publicUrl }
    : undefined;
  return { logLevel, ...(tls && { tls }), ...(trustProxy && { trustProxy }), ...(console && { console }) };
}
