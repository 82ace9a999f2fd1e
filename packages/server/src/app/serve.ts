// A server from its options to its end: checks, opens the service, serves, runs the jobs, and stops in order.
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { Tampered } from '@eaas/service';
import type { FastifyBaseLogger } from 'fastify';
import { Registry } from 'prom-client';
import { inTurns, type Lines, linesTo } from '../base/log-lines.ts';
import { stretchTimeLimits } from '../base/time-limit.ts';
import { bridgeMetrics, connectTelemetry } from '../base/tracing.ts';
import { type AppOptions, createApp } from '../http/app.ts';
import { readApiPage, readConsolePages } from '../http/console.ts';
import { healthOf } from '../http/health.ts';
import { addressOf, announce, freePort, listenOn, readTls, refuseAddress } from '../http/listen.ts';
import { HttpMetrics, serviceMetrics, type ServerState } from '../http/metrics.ts';
import type { PublicPages } from '../http/pages.ts';
import { readClock } from '../jobs/clock.ts';
import { recordLastUses } from '../jobs/last-uses.ts';
import { startJobs } from '../jobs/schedule.ts';
import { isDriverFault } from '../postgres/faults.ts';
import { openService } from './open-service.ts';
import type { ServeOptions } from './options.ts';
import { serverJobs } from './server-jobs.ts';
import type { Service } from './service.ts';

/**
 * Serves until SIGTERM or SIGINT. Checks the options and the port first, so that a failed start creates no data
 * directory and no root key.
 */
export async function serve(options: ServeOptions): Promise<void> {
  if (options.stretch !== undefined) stretchTimeLimits(options.stretch);
  const logTo = prepareProcess();
  const app = await appOptionsOf(options);
  await freePort(options).catch(refuseAddress(options));
  const { service, warnings, close } = await openService(options, 'serve');
  try {
    const stop = await start(service, options, app, warnings, logTo);
    await signalled();
    await stop();
  } finally {
    await close();
  }
  // A connection to an unresponsive database can still be open.
  setTimeout(() => process.exit(), 500).unref();
}

/** Waits for SIGTERM or SIGINT, or at most for the given time. */
async function signalled(milliseconds?: number): Promise<void> {
  const over = new AbortController();
  const { signal } = over;
  const waits: Promise<unknown>[] = ['SIGTERM', 'SIGINT'].map((name) => once(process, name, { signal }));
  if (milliseconds !== undefined) waits.push(sleep(milliseconds, undefined, { signal }));
  await Promise.race(waits).finally(() => over.abort());
}

/** Reads the files that the HTTP server needs. */
async function appOptionsOf(options: ServeOptions) {
  const { tlsFiles, trustProxy, logLevel, publicUrl } = options;
  const tls = tlsFiles && (await readTls(tlsFiles));
  const pages = options.console && { pages: await readConsolePages(options.playground), publicUrl };
  return {
    logLevel,
    log: inTurns(linesTo(process.stdout.fd)),
    apiPage: await readApiPage(),
    ...(tls && { tls }),
    ...(trustProxy && { trustProxy }),
    ...(pages && { console: pages }),
  };
}

/** Starts the HTTP server and the jobs of an open service. Returns a function that stops both. */
async function start(
  service: Service,
  options: ServeOptions,
  appOptions: AppOptions & { readonly log: Lines },
  warnings: readonly string[],
  logTo: (log: FastifyBaseLogger) => void,
): Promise<() => Promise<void>> {
  const { plugins } = options;
  const state: ServerState = { jobs: [], verified: undefined };
  await connectTelemetry();
  const pages = Object.assign({}, ...plugins.map((plugin) => plugin.pages?.(service))) as PublicPages;
  const signIn = plugins.map((plugin) => plugin.signIn?.(service)).find((one) => one);
  const { app, registry } = serveHttp(service, state, { ...appOptions, pages, signIn });
  for (const plugin of plugins) plugin.metrics?.(registry);
  for (const warning of warnings) app.log.warn(warning);
  logTo(app.log);
  service.alarms.log = (fields, message) => app.log.error(fields, message);
  try {
    const port = await listenOn(app, options).catch(refuseAddress(options));
    const address = addressOf(options, port);
    const announcer = plugins.find((plugin) => plugin.announce !== undefined);
    if (announcer) await announcer.announce?.(service, address, Boolean(appOptions.console?.pages));
    else announce(address, appOptions.log);
  } catch (error) {
    await app.close();
    throw error;
  }
  await bridgeMetrics(registry);
  const jobs = startJobs(serverJobs(service, options, state, app.log), (job, error) => {
    const errors: unknown[] = error instanceof AggregateError ? error.errors : [error];
    for (const one of errors) if (one instanceof Tampered) service.alarms.tampered(one.row);
    app.log.error({ job, err: error }, 'a job failed and will run again');
  });
  state.jobs = jobs.reports;
  return async () => {
    state.isStopping = true;
    // Load balancers go on sending requests until they have seen that the server is not ready.
    if (options.drainSeconds > 0) await signalled(options.drainSeconds * 1_000);
    await app.close();
    await jobs.stop();
    // The job `last_uses` stores the last uses of API keys only once a minute. Those since its last run must be stored
    // before the process ends.
    await recordLastUses(service, 1_000).catch((error: unknown) =>
      app.log.warn({ job: 'last_uses', err: error }, 'the last uses of API keys could not be stored'),
    );
  };
}

/** Creates the server of an open service, and the metrics of both. Tests call it too. */
export function serveHttp(service: Service, state: ServerState, options: AppOptions = {}) {
  const { fair, counts } = service;
  const registry = new Registry();
  const requests = new HttpMetrics(registry);
  const isStopping = (): boolean => state.isStopping === true;
  const health = healthOf(() => readClock(service), counts, isStopping);
  serviceMetrics(service, state, health, registry);
  const metrics = () => registry.metrics();
  return {
    app: createApp({ service, fair, requests, metrics, health, isStopping }, options),
    registry,
  };
}

/**
 * Limits the growth of the heap, and lets the process survive errors that the database driver throws in timers. Returns what
 * takes the log for them.
 */
function prepareProcess(): (log: FastifyBaseLogger) => void {
  // By default, V8 lets a small heap grow to several times the size of its live objects.
  setFlagsFromString('--heap-growing-percent=100');
  let log: FastifyBaseLogger | undefined;
  process.prependListener('uncaughtException', (error) => {
    if (isDriverFault(error)) {
      log?.error({ err: error }, 'the database connection broke and is being replaced');
      return;
    }
    if (log) log.fatal({ err: error }, 'an unexpected error');
    else process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
    process.exit(70);
  });
  return (given) => {
    log = given;
  };
}
