// The tree of all commands of `eaas`, which command a line means, and what a failure prints.
import { helpCommand } from './kit/index.ts';
import { escapeHidden } from '@eaas/protocol/internal';
import { CannotStart, migrateDatabase } from '@eaas/server/internal';
import manifest from '../package.json' with { type: 'json' };
import { expiring, identify } from './api-key.ts';
import { auditCommands } from './audit.ts';
import { callsOf } from './calls.ts';
import { type AnyCommand, command, group, Option, reporting, requireConfig } from './command.ts';
import { completion } from './completion.ts';
import { type Config, readConfig, readDevelopmentConfig, readServerConfig } from './config.ts';
import { requireYes } from './confirm.ts';
import { examine, startWarnings } from './doctor/examine.ts';
import { failed, type Finding, named, warning } from './doctor/finding.ts';
import { exitCodes, exitCodesHelp, failureOf, problemOf } from './failure.ts';
import { halfCommands } from './half.ts';
import { headCommands } from './heads.ts';
import { importCommand } from './import.ts';
import { destroyKey } from './key.ts';
import { logCommands } from './log.ts';
import { next, note, printResult, printResults } from './output.ts';
import { rootKeyCommands } from './root-key.ts';
import { subjectCommands } from './subject.ts';
import { tenantCommands } from './tenant.ts';

const dev = command(
  'dev',
  'Serve for development on this machine. The first start creates a tenant, an API key, a key and an index key, and ' +
    'prints them as environment variables. Later starts keep them. Prints a URL that signs in to the playground, also if ' +
    'another `eaas dev` already serves this folder. Refuses EAAS_DATABASE_URL, NODE_ENV=production and an EAAS_HOST that ' +
    "other machines reach. Ignores DATABASE_URL, which is the app's.",
  ['dev', 'dev --env', 'dev --env apps/web/.env', 'dev --sign-in'],
)
  .option(
    '--env [file]',
    'write the variables to this file instead (.env by default) and keep its other lines',
  )
  .addOption(
    new Option('--sign-in', 'only print a new URL that signs in to the running `eaas dev`').conflicts('env'),
  )
  .action(async ({ env, signIn }) => {
    const config = await withPlugins(readDevelopmentConfig());
    const { dev, printSignIn } = await import('@eaas/dev');
    await (signIn ? printSignIn(config) : dev(config, env === true ? '.env' : env));
  });

const serve = command('serve', 'Serve the API until SIGTERM or SIGINT.', ['serve']).action(async () => {
  const config = await withPlugins(readServerConfig());
  // The HTTP server is imported dynamically, because a static import would delay all commands that do not need it.
  const { serve } = await import('@eaas/server');
  await serve(config);
});

/** Imports the plugins only for a server, because other commands should start at once. */
async function withPlugins(config: Config): Promise<Config> {
  const { publicLog: log } = config;
  const logs = log === null ? [] : [await (await import('@eaas/log')).publicLog(log)];
  return { ...config, plugins: [...logs, startWarnings(config)] };
}

const migrate = reporting(
  'migrate',
  'Prepare a database, or upgrade it to this version. Connects as the role of EAAS_MIGRATE_DATABASE_URL (by default of ' +
    'EAAS_DATABASE_URL), and grants the role of EAAS_DATABASE_URL only what the server needs. Safe to repeat, and to run from ' +
    'several processes at the same time.',
  ['migrate', 'migrate --json'],
)
  .option('--yes', 'use a database that has tables of somebody else, without asking')
  .action(async ({ yes, ...options }) => {
    const migrated = await migrateDatabase(requireConfig(false), {
      note,
      share: (warning) => requireYes(yes, warning),
    });
    printResult(migrated, options);
    if (migrated.applied > 0) next('`eaas doctor`, and then `eaas serve`', options);
    note(
      migrated.server_role === null &&
        'Warning: the server would run as the owner of the tables. Give it a separate role (EAAS_MIGRATE_DATABASE_URL).',
    );
  });

const doctor = reporting(
  'doctor',
  'Check what a server needs to start and to be safe. It looks at the configuration, the database and its role, the root key ' +
    'and the clock. Prints what to do about each problem. Changes nothing. The exit code is 1 if a check failed.',
  ['doctor', 'doctor --json'],
).action(async (options) => {
  const findings = await examineConfigured();
  printResults(findings, ['status', 'check', 'message'], options);
  if (findings.some(({ status }) => status === 'failed')) process.exitCode = exitCodes.refused;
});

async function examineConfigured(): Promise<Finding[]> {
  try {
    const config = readConfig(undefined, { usesDevelopmentData: true });
    const warnings = config.warnings.map((sentence) => named('configuration', warning(sentence)));
    return [...warnings, ...(await examine(config))];
  } catch (error) {
    if (error instanceof CannotStart) return [named('configuration', failed(error.message))];
    throw error;
  }
}

export const program: AnyCommand = group(
  'eaas',
  'Encryption as a service: the server and its operator’s commands.',
  [
    dev,
    serve,
    migrate,
    doctor,
    group('tenant', 'Tenants.', tenantCommands),
    importCommand,
    group('half', 'The half of an app, without which nobody opens its values.', halfCommands),
    group('api-key', 'API keys of tenants.', [...callsOf('api-key'), identify, expiring]),
    group('issuer', 'Sign-ins of apps, whose tokens tenants accept.', callsOf('issuer')),
    group('key', 'Keys of tenants.', [...callsOf('key'), destroyKey]),
    group('subject', 'The people whose data is encrypted.', subjectCommands),
    group('audit', 'Audit logs of tenants.', auditCommands),
    group('heads', 'What a server remembers of audit logs.', headCommands),
    group('log', 'The public log of the heads of all audit logs.', logCommands),
    group('root-key', 'The root key, which protects all other keys.', rootKeyCommands),
    completion,
    helpCommand(exitCodesHelp, ['eaas help key create', 'eaas help exit-codes']),
  ],
)
  .version(manifest.version, '-V, --version', 'print the version')
  .addHelpText('after', '\n`eaas help exit-codes` lists the exit codes.');

export async function run(args: readonly string[]): Promise<number> {
  try {
    await program.parseAsync(args, { from: 'user' });
    return Number(process.exitCode ?? exitCodes.ok);
  } catch (error) {
    return tell(error, args);
  }
}

/** Returns the command that the words name, as far as they name one. */
export function commandIn(args: readonly string[]): AnyCommand {
  let found: AnyCommand = program;
  for (const word of args) found = found.commands.find((each) => each.name() === word) ?? found;
  return found;
}

/** Prints the message of the error, and returns the exit code. */
export function tell(error: unknown, args: readonly string[]): number {
  const failure = failureOf(error, commandIn(args));
  if (failure.message !== null) {
    if (args.includes('--json')) {
      process.stderr.write(`${escapeHidden(JSON.stringify(problemOf(failure)))}\n`);
    } else note(failure.message);
  }
  return failure.exit;
}
