import { printJson } from '@eaas/cli-kit';
import { inLine } from '@eaas/protocol/internal';
import { copyDatabase, type CopyReport } from '@eaas/fleet/copy';
import {
  CannotStart,
  databaseAt,
  newestVersion,
  type OpenDatabase,
  type OpenService,
  openServiceOn,
  schemaVersion,
  type Service,
} from '@eaas/server/internal';
import type { Config } from './config.ts';
import { reporting, withService } from './command.ts';
import { exitCodes, failureOf } from './failure.ts';
import { next, progress, type Reporting } from './output.ts';

const variable = 'EAAS_COPY_TO_DATABASE_URL';

const copy = reporting(
  'copy',
  'Copy the tenants to another database, while servers run. Copies from EAAS_DATABASE_URL or the embedded database to the ' +
    'database of EAAS_COPY_TO_DATABASE_URL, which `eaas migrate` has prepared, and verifies each copy there. Clients notice ' +
    'nothing. With --move, the other database then serves the tenants, and this database no longer does. Can be ' +
    'interrupted and repeated. To move back, exchange the two URLs.',
  ['database copy', 'database copy --move', 'database copy --json'],
)
  .option('--move', 'after the copy, close each tenant in this database and open it in the other database')
  .action(async ({ move, ...options }: Reporting & { move?: true }) => {
    let failures = 0;
    // If the reader of the output closes the pipe early, the process exits before it has copied all tenants. The exit
    // code must then not be 0.
    process.exitCode = exitCodes.refused;
    await withService(async (source, config) => {
      const target = await openTarget(config, source.database);
      try {
        await requireSchema(source.service, 'source');
        await requireSchema(target.service, 'target');
        const databases = { source: source.service, target: target.service };
        const tell = (what: string, name: string | null) => progress(`${what} ${name ?? 'a tenant'}`);
        for await (const report of copyDatabase(databases, { isMove: move === true, tell })) {
          if (report.state === 'failed') failures++;
          if (options.json) printJson(report);
          else process.stdout.write(`${lineOf(report)}\n`);
        }
      } finally {
        await target.close();
      }
    });
    if (failures > 0) return;
    process.exitCode = exitCodes.ok;
    if (move) next(`serve with EAAS_DATABASE_URL set to the database of ${variable}`, options);
    else next('`eaas database copy --move`, which also moves the tenants', options);
  });

function lineOf({ tenant_id, name, state, entry_id, closed_ms, reason }: CopyReport): string {
  const label = name === null ? tenant_id : `${inLine(name)} (${tenant_id})`;
  const details = [
    ...(entry_id === null ? [] : [`up to entry ${entry_id}`]),
    ...(closed_ms === null ? [] : [`closed for ${closed_ms} ms`]),
    ...(reason === null ? [] : [reason]),
  ];
  return `${label}: ${[state, ...details].join(', ')}`;
}

async function openTarget(config: Config, { rootKey }: OpenDatabase): Promise<OpenService> {
  const { copyToDatabaseUrl: url } = config;
  if (url === null) {
    throw new CannotStart(
      `${variable} is not set: set it to the URL of the database that receives the copy. The user in the URL must be the role of the server.`,
    );
  }
  try {
    return await openServiceOn(databaseAt(url, rootKey), config, 'command');
  } catch (error) {
    throw new CannotStart(`The database of ${variable} cannot be used. ${failureOf(error, []).message}`, {
      cause: error,
    });
  }
}

/** Requires that the database has this program's version of the schema, because rows are copied with all columns. */
async function requireSchema({ database }: Service, which: 'source' | 'target'): Promise<void> {
  const version = await database.run(schemaVersion);
  if (version === newestVersion) return;
  throw new CannotStart(
    `The schema of the ${which} database must have version ${newestVersion} (got ${version}). Migrate both databases with ` +
      'the same release of `eaas`, and copy with this release.',
  );
}

export const databaseCommands = [copy];
