import { versions } from 'node:process';
import {
  clockDifference,
  Database,
  type Extra,
  loadRoots,
  mostDisagreement,
  openDatabase,
  type OpenDatabase,
  reasonOf,
  requireOpeningRoots,
  schemaFault,
  unusableDatabase,
} from '@eaas/server/internal';
import { type Config, databaseVariables } from '../config.ts';
import { judgeCitus } from './citus.ts';
import { judgeDatabase, judgeDatabaseTls, judgeDurability, judgeGuards, judgeRole } from './database.ts';
import { type Finding, failed, ok, skipped } from './finding.ts';
import { judgeIssuers } from './issuers.ts';
import { judgeFiles, judgeNode } from './machine.ts';

export async function examine(config: Config): Promise<Finding[]> {
  const here = [
    judgeNode(versions.node),
    ...(await judgeFiles(config)),
    judgeDatabaseTls(config.databaseUrl),
  ];
  const open = await openDatabase(config, 'command').catch((error: unknown) => [
    failed('database', reasonOf(error)),
    skipped('root_key', 'Not checked, because the database cannot be opened.'),
  ]);
  if (Array.isArray(open)) return [...here, ...open];
  const database = new Database(open.connection, 1);
  try {
    const found = await examineDatabase(database, open, config);
    const isUsable = found.some(({ check, status }) => check === 'schema' && status === 'ok');
    return [...here, ...found, await examineRootKey(config, open, isUsable ? database : undefined)];
  } finally {
    await database.close();
    await open.close();
  }
}

async function examineDatabase(
  database: Database,
  open: OpenDatabase,
  { issuerHosts }: Config,
): Promise<Finding[]> {
  try {
    const found = [
      await database.run(judgeDatabase),
      ...(await database.run(judgeDurability)),
      judgeClock(await database.run((sql) => clockDifference(sql, Date.now))),
    ];
    const fault = await database.run((sql) => schemaFault(sql, open));
    if (fault === undefined) {
      return [
        ...found,
        ok('schema', 'The schema is up to date.'),
        await database.run(judgeRole),
        await database.run(judgeGuards),
        ...(await database.run((sql) => judgeIssuers(sql, issuerHosts), 10_000)),
        ...(await database.run(judgeCitus, 10_000)),
      ];
    }
    return [
      ...found,
      failed('schema', fault),
      skipped('role', 'Not checked, because the schema is missing.'),
    ];
  } catch (error) {
    return [failed('database', unusableDatabase(error, databaseVariables()))];
  }
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

async function examineRootKey(
  config: Config,
  { rootKey }: OpenDatabase,
  database: Database | undefined,
): Promise<Finding> {
  try {
    const roots = await loadRoots(rootKey, config.previousRootKey);
    if (!database)
      return skipped('root_key', 'Not checked, because the database or its schema cannot be used.');
    const isNew = await database.run((sql) => requireOpeningRoots(sql, roots));
    const message = isNew
      ? 'The database is new. The first start of a server will register this root key.'
      : 'The root key opens the database.';
    return ok('root_key', message);
  } catch (error) {
    return failed('root_key', reasonOf(error));
  }
}

/** Lets the log of a server say what the doctor would say about its database. */
export function databaseWarnings(databaseUrl: string | null): Extra {
  return {
    async warnings(database) {
      const durability = await database.run(judgeDurability);
      const failures = [judgeDatabaseTls(databaseUrl), ...durability].filter(
        ({ status }) => status === 'failed',
      );
      const role = await database.run(judgeRole);
      return [...failures, ...(role.status === 'ok' ? [] : [role])].map(({ message }) => message);
    },
  };
}
