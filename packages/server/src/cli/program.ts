import manifest from '../../package.json' with { type: 'json' };
import { CannotStart } from '../cannot-start.ts';
import { readConfig } from '../config.ts';
import { examine } from '../doctor/examine.ts';
import { failed, type Finding, warning } from '../doctor/finding.ts';
import { migrateDatabase } from '../migrate-database.ts';
import { apiKeyCommands } from './api-key.ts';
import { auditCommands } from './audit.ts';
import { command, group, reporting, requireConfig } from './command.ts';
import { completionCommand } from './completion.ts';
import { devCommand } from './dev.ts';
import { exitCodes, failureOf } from './failure.ts';
import { helpCommand } from './help.ts';
import { keyCommands } from './key.ts';
import { next, note, printResult, printResults, type Reporting } from './output.ts';
import { rootKeyCommands } from './root-key.ts';
import { tenantCommands } from './tenant.ts';

const serve = command('serve', 'Serve the API until SIGTERM or SIGINT.', ['serve']).action(async () => {
  const config = readConfig();
  // Import the HTTP server only when it is needed, because it takes a while to load.
  const { serve } = await import('../serve.ts');
  await serve(config);
});

const migrate = reporting(
  'migrate',
  'Prepare a database, or upgrade it to this version. Connects as the role of EAAS_MIGRATE_DATABASE_URL (else of ' +
    'DATABASE_URL), and grants the role of DATABASE_URL only what the server needs. Safe to repeat, and to run from ' +
    'several processes at the same time.',
  ['migrate', 'migrate --json'],
).action(async (options: Reporting) => {
  const migrated = await migrateDatabase(requireConfig());
  printResult(migrated, options);
  if (migrated.applied > 0) next('eaas doctor, and then eaas serve', options);
  if (migrated.server_role === null) {
    note(
      'Warning: the server would run as the owner of the tables. Give it a separate role (EAAS_MIGRATE_DATABASE_URL).',
    );
  }
});

const doctor = reporting(
  'doctor',
  'Check everything that a server needs. Examine the configuration, the files, the clock, the database and the root key, ' +
    'and print what to do about each problem. Changes nothing. The exit code is 1 if a check failed.',
  ['doctor', 'doctor --json'],
).action(async (options: Reporting) => {
  const findings = await examineConfigured();
  printResults(findings, ['status', 'check', 'message'], options);
  if (findings.some(({ status }) => status === 'failed')) process.exitCode = exitCodes.refused;
});

async function examineConfigured(): Promise<Finding[]> {
  try {
    const config = readConfig();
    const warnings = config.warnings.map((sentence) => warning('configuration', sentence));
    return [...warnings, ...(await examine(config))];
  } catch (error) {
    if (error instanceof CannotStart) return [failed('configuration', error.message)];
    throw error;
  }
}

/** The whole command line. */
export const program = group('eaas', 'Encryption as a service: the server and its operator’s commands.', [
  devCommand,
  serve,
  migrate,
  doctor,
  group('tenant', 'Tenants.', tenantCommands),
  group('api-key', 'API keys of tenants.', apiKeyCommands),
  group('key', 'Keys of tenants.', keyCommands),
  group('audit', 'Audit logs of tenants.', auditCommands),
  group('root-key', 'The root key, which protects all other keys.', rootKeyCommands),
  completionCommand,
  helpCommand,
])
  .version(manifest.version, '-V, --version', 'print the version')
  .addHelpText('after', '\n`eaas help exit-codes` lists the exit codes.');

/** Runs a command line, and returns its exit code. */
export async function run(args: readonly string[]): Promise<number> {
  try {
    await program.parseAsync(args, { from: 'user' });
    return Number(process.exitCode ?? exitCodes.ok);
  } catch (error) {
    const { code, message } = failureOf(error);
    if (message !== null) note(message);
    return code;
  }
}
