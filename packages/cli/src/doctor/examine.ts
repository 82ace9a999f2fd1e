// The checks of `eaas doctor`: what a server needs to start, and to be safe.
import {
  addressOf,
  asOwner,
  clockDifference,
  clockFault,
  Database,
  type Extra,
  freePort,
  loadRoots,
  newerSchema,
  openDatabase,
  type OpenDatabase,
  readTls,
  reasonOf,
  refuseAddress,
  requireOpeningRoots,
  requireSchema,
  type Sql,
  unusable,
} from '@eaas/server/internal';
import type { Config } from '../config.ts';
import { sentence } from '../output.ts';
import {
  judgeDatabase,
  judgeDatabaseTls,
  judgeDisk,
  judgeDurability,
  judgeGuards,
  judgeRole,
} from './database.ts';
import { type Finding, failed, ok, warning } from './finding.ts';

export async function examine(config: Config): Promise<Finding[]> {
  const here = [
    await judged('listening', () => judgeListening(config)),
    await judgePort(config),
    judgeDatabaseTls(config.databaseUrl),
  ];
  const open = await openDatabase(config, 'command').catch((error: unknown) =>
    failed('database', reasonOf(error)),
  );
  if ('status' in open) return [...here, open];
  const database = new Database(open.connection, 1);
  try {
    const found = await examineDatabase(database, open).catch((error: unknown) => [
      failed('database', reasonOf(unusable(error, open.variables?.server))),
    ]);
    const isUsable = found.some(({ check, status }) => check === 'schema' && status !== 'failed');
    const rootKey = await judged('root_key', () =>
      judgeRootKey(open, config, isUsable ? database : undefined),
    );
    const owner = config.migrateDatabaseUrl === null ? [] : [await judged('owner', () => judgeOwner(open))];
    return [...here, ...found, rootKey, ...owner];
  } finally {
    await database.close();
    await open.close();
  }
}

/** Says of what the judge throws what a server says that cannot start for this reason. */
function judged(check: string, judge: () => Promise<Finding>, variable?: string): Promise<Finding> {
  return judge().catch((error: unknown) => failed(check, reasonOf(unusable(error, variable))));
}

/** That secrets do not travel in plain HTTP unless EAAS_INSECURE_HTTP says so was checked with the configuration. */
async function judgeListening({ host, tlsFiles, unencrypted }: Config): Promise<Finding> {
  const check = 'listening';
  if (unencrypted)
    return warning(check, `Secrets travel over the network in plain HTTP (EAAS_HOST=${host}).`);
  if (tlsFiles) await readTls(tlsFiles);
  return ok(check, tlsFiles ? 'The certificate and its key fit.' : `The server listens on ${host}.`);
}

/** The port is usually in use while the server runs, so that is no failure, and nothing to say if it answers. */
async function judgePort(config: Config): Promise<Finding> {
  try {
    await freePort(config).catch(refuseAddress(config));
    return ok('port', `The port ${config.port} is free.`);
  } catch (error) {
    const { cause, message } = error as Error & { cause?: NodeJS.ErrnoException };
    if (cause?.code !== 'EADDRINUSE') return failed('port', message);
    const health = `${addressOf(config, config.port)}/healthz`;
    const isServer = await fetch(health, { signal: AbortSignal.timeout(2_000) }).then(
      ({ ok, headers }) => ok && headers.has('x-request-id'),
      () => false,
    );
    return isServer
      ? ok('port', `A server listens on the port ${config.port}.`)
      : warning('port', `${message} If it is this server, nothing is wrong.`);
  }
}

async function examineDatabase(database: Database, open: OpenDatabase): Promise<Finding[]> {
  const server = open.variables?.server;
  const found = [
    await database.run(judgeDatabase),
    ...(await database.run(judgeDurability)),
    await judged('disk', () => database.snapshot(judgeDisk, 10_000), server),
    judgeClock(await database.run(clockDifference)),
  ];
  const schema = await judged('schema', () => database.run((sql) => judgeSchema(sql, open)), server);
  if (schema.status === 'failed') return [...found, schema];
  return [...found, schema, await database.run(judgeRole), await database.run(judgeGuards)];
}

async function judgeSchema(sql: Sql, open: OpenDatabase): Promise<Finding> {
  await requireSchema(sql, open);
  return judgeVersion(sql);
}

async function judgeVersion(sql: Sql): Promise<Finding> {
  const newer = await newerSchema(sql);
  return newer === undefined ? ok('schema', 'The schema is up to date.') : warning('schema', newer);
}

export function judgeClock(ahead: number): Finding {
  const fault = clockFault(ahead);
  return fault === undefined
    ? ok('clock', `The clock of this machine differs from the database's by ${Math.abs(ahead)} ms.`)
    : failed('clock', sentence(fault));
}

async function judgeRootKey(
  { rootKey }: OpenDatabase,
  { previousRootKey }: Config,
  database: Database | undefined,
): Promise<Finding> {
  const roots = await loadRoots(rootKey, previousRootKey);
  if (!database) return ok('root_key', 'The root key can be read. It was not compared with the database.');
  const isNew = await database.run((sql) => requireOpeningRoots(sql, roots));
  return ok('root_key', isNew ? 'The database is new.' : 'The root key opens the database.');
}

const judgeOwner = (open: OpenDatabase): Promise<Finding> =>
  asOwner(open, async (owner) => {
    await owner`select`;
    return ok('owner', 'The role of EAAS_MIGRATE_DATABASE_URL can connect.');
  });

/** Lets the log of a server say at its start what the doctor would say. */
export function startWarnings(config: Config): Extra {
  return {
    async warnings(database) {
      const clock = judgeClock(await database.run(clockDifference));
      const found = [judgeDatabaseTls(config.databaseUrl), ...(await database.run(judgeDurability)), clock];
      const failures = found.filter(({ status }) => status === 'failed');
      const listening = await judgeListening(config);
      const others = [listening, await database.run(judgeRole), await database.run(judgeVersion)];
      return [...failures, ...others.filter(({ status }) => status !== 'ok')].map(({ message }) => message);
    },
  };
}
