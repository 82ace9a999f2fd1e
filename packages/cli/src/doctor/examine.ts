// The checks of `eaas doctor`: what a server needs to start, and to be safe.
import {
  addressOf,
  allowedSentence,
  asOwner,
  clockDifference,
  clockFault,
  Database,
  freePort,
  loadRoots,
  newerSchema,
  openDatabase,
  type OpenDatabase,
  type Plugin,
  readTls,
  reasonOf,
  refuseAddress,
  requireOpeningRoots,
  requireSchema,
  requireUnchanged,
  type Roots,
  type Sql,
  unknownSchema,
  unusable,
} from '@eaas/server/internal';
import type { Config } from '../config.ts';
import { sentence } from '../output.ts';
import { judgeDatabase, judgeDisk, judgeDurability, judgeGrants, judgeRole, judgeTls } from './database.ts';
import { type Finding, failed, named, ok, type Verdict, warning } from './finding.ts';

export async function examine(config: Config): Promise<Finding[]> {
  const here = [
    await judged('listening', () => judgeListening(config)),
    await judged('port', () => judgePort(config)),
    await judged('database_tls', () => judgeTls(config.databaseUrl)),
  ];
  const open = await openDatabase(config, 'command').catch((error: unknown) => failed(reasonOf(error)));
  if ('status' in open) return [...here, named('database', open)];
  const database = new Database(open.connection, 1);
  // A program may have to print it, so it is asked once. Its fault is a finding of its own.
  const loading = loadRoots(open.rootKey, config.previousRootKey);
  loading.catch(() => {});
  try {
    const found = await examineDatabase(database, open, config.schemaAllow, loading).catch(
      (error: unknown) => [named('database', failed(reasonOf(unusable(error, open.variables?.server))))],
    );
    const isUsable = found.some(({ check, status }) => check === 'schema' && status !== 'failed');
    const rootKey = await judged('root_key', async () =>
      judgeRootKey(await loading, isUsable ? database : undefined),
    );
    const owner = config.migrateDatabaseUrl === null ? [] : [await judged('owner', () => judgeOwner(open))];
    return [...here, ...found, rootKey, ...owner];
  } finally {
    await database.close();
    await open.close();
  }
}

/** Names the verdict. Of what the judge throws, it says what a server says that cannot start for this reason. */
async function judged(check: string, judge: () => Verdict | Promise<Verdict>, variable?: string) {
  try {
    return named(check, await judge());
  } catch (error) {
    return named(check, failed(reasonOf(unusable(error, variable))));
  }
}

/** That secrets do not travel in plain HTTP unless EAAS_INSECURE_HTTP says so was checked with the configuration. */
async function judgeListening({ host, tlsFiles, unencrypted }: Config): Promise<Verdict> {
  if (unencrypted) return warning(`Secrets travel over the network in plain HTTP (EAAS_HOST=${host}).`);
  if (tlsFiles) await readTls(tlsFiles);
  return ok(tlsFiles ? 'The certificate and its key fit.' : `The server listens on ${host}.`);
}

/** The port is usually in use while the server runs, so that is no failure, and nothing to say if it answers. */
async function judgePort(config: Config): Promise<Verdict> {
  try {
    await freePort(config).catch(refuseAddress(config));
    return ok(`The port ${config.port} is free.`);
  } catch (error) {
    const { cause, message } = error as Error & { cause?: NodeJS.ErrnoException };
    if (cause?.code !== 'EADDRINUSE') throw error;
    const metrics = `${addressOf(config, config.port)}/metrics`;
    const answer = await fetch(metrics, { signal: AbortSignal.timeout(2_000) })
      .then((response) => response.text())
      .catch(() => '');
    const [, moved] = /^eaas_audit_moved_appends (\d+)$/m.exec(answer) ?? [];
    if (moved === undefined) return warning(`${message} If it is this server, nothing is wrong.`);
    return ok(
      `A server listens on the port ${config.port}. In the last minute, other servers made it repeat ${moved} appends.`,
    );
  }
}

async function examineDatabase(
  database: Database,
  open: OpenDatabase,
  schemaAllow: readonly string[],
  loading: Promise<Roots>,
): Promise<Finding[]> {
  const server = open.variables?.server;
  const found = [
    named('database', await database.run(judgeDatabase)),
    ...(await database.run(judgeDurability)),
    await judged('disk', () => database.snapshot(judgeDisk, 10_000), server),
    named('clock', judgeClock(await database.run(clockDifference))),
  ];
  let isUnknown = false;
  const judgeSchema = async (sql: Sql): Promise<Verdict> => {
    await requireSchema(sql, open);
    const roots = await loading.catch(() => []);
    const { others, allowed, ...judged } = await requireUnchanged(sql, { allow: schemaAllow, roots });
    isUnknown = judged.isUnknown;
    const verdict = await judgeVersion(sql);
    if (verdict.status !== 'ok') return verdict;
    if (allowed.length > 0) return warning(allowedSentence(allowed));
    if (others.length === 0) return verdict;
    return ok(`The schema is up to date. Beside it, the database has: ${others.join(', ')}.`);
  };
  const schema = await judged('schema', () => database.run(judgeSchema), server);
  if (schema.status === 'failed') return [...found, schema];
  return [
    ...found,
    schema,
    ...(isUnknown ? [named('schema', warning(unknownSchema))] : []),
    named('role', await database.run(judgeRole)),
    named('grants', await database.run(judgeGrants)),
  ];
}

async function judgeVersion(sql: Sql): Promise<Verdict> {
  const newer = await newerSchema(sql);
  return newer === undefined ? ok('The schema is up to date.') : warning(newer);
}

export function judgeClock(ahead: number): Verdict {
  const fault = clockFault(ahead);
  return fault === undefined
    ? ok(`The clock of this machine differs from the database's by ${Math.abs(ahead)} ms.`)
    : failed(sentence(fault));
}

async function judgeRootKey(roots: Roots, database?: Database): Promise<Verdict> {
  if (!database) return ok('The root key can be read. It was not compared with the database.');
  const isNew = await database.run((sql) => requireOpeningRoots(sql, roots));
  return ok(isNew ? 'The database is new.' : 'The root key opens the database.');
}

const judgeOwner = (open: OpenDatabase): Promise<Verdict> =>
  asOwner(open, async (owner) => {
    await owner`select`;
    return ok('The role of EAAS_MIGRATE_DATABASE_URL can connect.');
  });

/** Lets the log of a server say at its start what the doctor would say. */
export function startWarnings(config: Config): Plugin {
  return {
    name: 'start warnings',
    async warnings(database) {
      const clock = judgeClock(await database.run(clockDifference));
      const found = [judgeTls(config.databaseUrl), ...(await database.run(judgeDurability)), clock];
      const failures = found.filter(({ status }) => status === 'failed');
      const listening = await judgeListening(config);
      const others = [listening, await database.run(judgeRole), await database.run(judgeVersion)];
      return [...failures, ...others.filter(({ status }) => status !== 'ok')].map(({ message }) => message);
    },
  };
}
