// The checks of `eaas doctor`: what a server needs to start, and to be safe.
import {
  clockDifference,
  Database,
  type Extra,
  loadRoots,
  mostDisagreement,
  openDatabase,
  type OpenDatabase,
  readTls,
  reasonOf,
  requireOpeningRoots,
  schemaFault,
  unusableDatabase,
} from '@eaas/server/internal';
import { type Config, databaseVariables } from '../config.ts';
import { judgeDatabase, judgeDatabaseTls, judgeDurability, judgeGuards, judgeRole } from './database.ts';
import { type Finding, failed, ok, warning } from './finding.ts';

export async function examine(config: Config): Promise<Finding[]> {
  const here = [await judgeListening(config), judgeDatabaseTls(config.databaseUrl)];
  const open = await openDatabase(config, 'command').catch((error: unknown) =>
    failed('database', reasonOf(error)),
  );
  if ('status' in open) return [...here, open];
  const database = new Database(open.connection, 1);
  try {
    const found = await examineDatabase(database, open).catch((error: unknown) => [
      failed('database', unusableDatabase(error, databaseVariables())),
    ]);
    const isUsable = found.some(({ check, status }) => check === 'schema' && status === 'ok');
    return [...here, ...found, await judgeRootKey(open, config, isUsable ? database : undefined)];
  } finally {
    await database.close();
    await open.close();
  }
}

/** That secrets do not travel in plain HTTP unless EAAS_INSECURE_HTTP says so was checked with the configuration. */
async function judgeListening({ host, tlsFiles, unencrypted }: Config): Promise<Finding> {
  const check = 'listening';
  if (unencrypted)
    return warning(check, `Secrets travel over the network in plain HTTP (EAAS_HOST=${host}).`);
  try {
    if (tlsFiles) await readTls(tlsFiles);
    return ok(check, tlsFiles ? 'The certificate and its key fit.' : `The server listens on ${host}.`);
  } catch (error) {
    return failed(check, reasonOf(error));
  }
}

async function examineDatabase(database: Database, open: OpenDatabase): Promise<Finding[]> {
  const found = [
    await database.run(judgeDatabase),
    ...(await database.run(judgeDurability)),
    judgeClock(await database.run((sql) => clockDifference(sql, Date.now))),
  ];
  const fault = await database.run((sql) => schemaFault(sql, open));
  if (fault !== undefined) return [...found, failed('schema', fault)];
  return [
    ...found,
    ok('schema', 'The schema is up to date.'),
    await database.run(judgeRole),
    await database.run(judgeGuards),
  ];
}

export function judgeClock(milliseconds: number): Finding {
  const text = `The clock of this machine differs from the database's by ${Math.abs(milliseconds)} ms`;
  return Math.abs(milliseconds) > mostDisagreement
    ? failed(
        'clock',
        `${text}. The server erases no data while the clocks differ by more than ${mostDisagreement} ms. Run NTP on both machines.`,
      )
    : ok('clock', `${text}.`);
}

async function judgeRootKey(
  { rootKey }: OpenDatabase,
  { previousRootKey }: Config,
  database: Database | undefined,
): Promise<Finding> {
  try {
    const roots = await loadRoots(rootKey, previousRootKey);
    if (!database) return ok('root_key', 'The root key can be read. It was not compared with the database.');
    const isNew = await database.run((sql) => requireOpeningRoots(sql, roots));
    return ok('root_key', isNew ? 'The database is new.' : 'The root key opens the database.');
  } catch (error) {
    return failed('root_key', reasonOf(error));
  }
}

/** Lets the log of a server say what the doctor would say about its database. */
export function databaseWarnings(databaseUrl: string | null): Extra {
  return {
    async warnings(database) {
      const found = [judgeDatabaseTls(databaseUrl), ...(await database.run(judgeDurability))];
      const failures = found.filter(({ status }) => status === 'failed');
      const role = await database.run(judgeRole);
      return [...failures, ...(role.status === 'ok' ? [] : [role])].map(({ message }) => message);
    },
  };
}
