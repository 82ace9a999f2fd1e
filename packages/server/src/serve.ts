import { readFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { createSecureContext } from 'node:tls';
import type { FastifyInstance } from 'fastify';
import { CannotStart } from './cannot-start.ts';
import type { Config } from './config.ts';
import { openDoors } from './doors.ts';
import { type AppOptions, createApp } from './http/app.ts';
import { countUsage } from './jobs/count-usage.ts';
import { settleDueKeys } from './jobs/due-keys.ts';
import { nightlyVerify } from './jobs/nightly-verify.ts';
import { purge } from './jobs/purge.ts';
import { type Job, type JobReport, startJobs } from './jobs/schedule.ts';
import { watchClock } from './jobs/watch-clock.ts';
import { openService } from './open-service.ts';
import type { Service } from './service.ts';
import { isSocketFault } from './store/faults.ts';
import type { FinishedVerification } from './store/jobs.ts';

/** Serves until it is told to stop. Prints the address once it listens. */
export async function serve(config: Config): Promise<void> {
  const options = await appOptions(config);
  const { service, warnings, close } = await openService(config, 'serve');
  const state = {
    draining: false,
    jobs: [] as readonly JobReport[],
    verified: undefined as FinishedVerification | undefined,
  };
  const app = createApp(openDoors(service, state), options);
  for (const warning of warnings) app.log.warn(warning);
  surviveSocketFaults(app);
  await watchClock(service);
  await listen(app, config, close);
  const jobs = startJobs(jobsOf(service, config, app, state), (job, error) => {
    app.log.error({ job, err: error }, 'a job failed; it is tried again');
  });
  state.jobs = jobs.reports;
  process.stdout.write(
    `Eaas listens on ${addressOf(app, config)} (API reference: ${addressOf(app, config)}/docs)\n`,
  );

  await new Promise<void>((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => resolve());
  });
  state.draining = true;
  await app.close();
  await jobs.stop();
  await close();
  // A connection whose database hangs stays open, and would keep the process.
  setTimeout(() => process.exit(), 500).unref();
}

async function listen(
  app: FastifyInstance,
  { host, port }: Config,
  close: () => Promise<void>,
): Promise<void> {
  try {
    await app.listen({ host, port });
  } catch (error) {
    await app.close();
    await close();
    throw cannotUse('EAAS_HOST and EAAS_PORT', error);
  }
}

/** What the operating system refused, with the variables that led to it. */
function cannotUse(variables: string, error: unknown): CannotStart {
  const reason = error instanceof Error ? error.message : String(error);
  return new CannotStart(`${variables} cannot be used: ${reason}.`, { cause: error });
}

function jobsOf(
  service: Service,
  config: Config,
  app: FastifyInstance,
  state: { verified: FinishedVerification | undefined },
): Job[] {
  const onBroken: Parameters<typeof nightlyVerify>[2] = (tenantId, findings) => {
    app.log.error({ tenant_id: tenantId, findings }, 'the audit chain of a tenant is broken');
  };
  return [
    { name: 'clock', everySeconds: 5, run: () => watchClock(service) },
    { name: 'due_keys', everySeconds: 10, run: (signal) => settleDueKeys(service, signal) },
    { name: 'count_usage', everySeconds: 20, run: (signal) => countUsage(service, signal) },
    {
      name: 'purge',
      everySeconds: 3_600,
      run: (signal) => purge(service, config.auditRetentionMonths, signal),
    },
    {
      name: 'verify',
      everySeconds: 600,
      run: async (signal) => {
        state.verified = await nightlyVerify(service, signal, onBroken);
      },
    },
  ];
}

async function appOptions({ tlsFiles, trustProxy, logLevel }: Config): Promise<AppOptions> {
  const tls = tlsFiles && (await readTls(tlsFiles));
  return { logLevel, ...(tls && { tls }), ...(trustProxy && { trustProxy }) };
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

/**
 * When a connection is lost in the middle of a transaction, postgres.js throws out of a timer of its own, where no caller
 * can catch it. Exactly that is survived: the caller was told, and the pool was left. Anything else ends the process, as
 * it would without this.
 */
function surviveSocketFaults(app: FastifyInstance): void {
  process.on('uncaughtException', (error) => {
    if (!isSocketFault(error)) {
      app.log.fatal({ err: error }, 'an error that nobody expected');
      process.exit(70);
    }
    app.log.error({ err: error }, 'the database connection broke; opening another');
  });
}
