// Reads the environment variables of `eaas`, and makes the options of a server from them.
import { existsSync } from 'node:fs';
import { developmentFileIn, embeddedIn, nearestDataDirectory } from '@eaas/dev/internal';
import { isApiKey, nearestOf } from '@eaas/protocol/internal';
import {
  asWord,
  CannotStart,
  databaseOf,
  isLoopback,
  type Plugin,
  type ProviderEnvironment,
  rootKeyFromCommand,
  rootKeyInFile,
  rootKeyInVariable,
  type RootKeyProvider,
} from '@eaas/server/internal';
import { type Environment, onOrOff, type Read, readerOf } from './config-values.ts';
import { WrongUsage } from './kit/index.ts';
import { variablesOf } from './variables.ts';

export { variables } from './config-values.ts';

export type Config = Readonly<ReturnType<typeof readConfig>>;

/** Many apps have a DATABASE_URL of their own, so it counts only if no variable of ours says where the data is. */
function urlVariableOf(env: Environment): 'EAAS_DATABASE_URL' | 'DATABASE_URL' {
  const isOurs = env['EAAS_DATABASE_URL'] !== undefined || env['EAAS_DATA_DIR'] !== undefined;
  return isOurs || env['DATABASE_URL'] === undefined ? 'EAAS_DATABASE_URL' : 'DATABASE_URL';
}

/**
 * Where a folder has data of the service, a DATABASE_URL is probably the app's. Returns a warning if the data of
 * `eaas dev` is used instead, and refuses other data, because both could be meant.
 */
function judgeDataHere(url: string, usesDevelopmentData: boolean): string | undefined {
  const directory = nearestDataDirectory();
  if (directory === undefined) return undefined;
  if (usesDevelopmentData && existsSync(developmentFileIn(directory))) {
    return (
      `DATABASE_URL names ${databaseOf(url)}, which is not used, because the data of \`eaas dev\` is in ${directory}. ` +
      'To use the database, put its URL in EAAS_DATABASE_URL.'
    );
  }
  throw new CannotStart(
    `DATABASE_URL names ${databaseOf(url)}, but there is data of Eaas in ${directory}, so nothing was changed. ` +
      `To use this data, set EAAS_DATA_DIR=${asWord(directory)}. To use the database, put its URL in EAAS_DATABASE_URL.`,
  );
}

export function readDevelopmentConfig(env: Environment = process.env): Config {
  const { NODE_ENV: mode, EAAS_DATABASE_URL: url, EAAS_HOST: host } = env;
  const reason =
    (mode === 'production' && 'NODE_ENV is production') ||
    (url !== undefined && 'EAAS_DATABASE_URL is set, but `eaas dev` brings its own database') ||
    (host !== undefined &&
      !isLoopback(host) &&
      `EAAS_HOST is ${host}, but \`eaas dev\` listens only on this machine`);
  if (reason) {
    throw new CannotStart(
      `\`eaas dev\` does not start: ${reason}. Remove the variable, or run \`eaas serve\`.`,
    );
  }
  const { DATABASE_URL: _, ...ours } = env;
  return readConfig(ours, { logLevel: 'warn', isConsoleOn: true, drainSeconds: 0 });
}

/** The server of `eaas dev` brings a database, and `eaas serve` needs one. */
export function readServerConfig(env: Environment = process.env): Config {
  const config = readConfig(env);
  if (config.databaseUrl !== null) return config;
  throw new CannotStart(
    '`eaas serve` needs a database: set EAAS_DATABASE_URL to a PostgreSQL that `eaas migrate` has prepared. For ' +
      'development on this machine, run `eaas dev`, which brings its own.',
  );
}

/** Whether EAAS_REMOTE says that commands call the service over HTTP, as `--remote` does. */
export function isRemote({ EAAS_REMOTE: text }: Environment = process.env): boolean {
  return text ? onOrOff(text, 'EAAS_REMOTE') : false;
}

export const notRemote =
  'This command does not run with --remote or EAAS_REMOTE=1: run it without them, where it reaches the database.';

/** Returns the address and the API key of `--remote`. No option has the key, because other users of the machine would see it. */
export function readRemote(env: Environment = process.env) {
  const { EAAS_BASE_URL: url, EAAS_API_KEY: apiKey } = env;
  if (!url || !apiKey) {
    throw new WrongUsage(
      `--remote needs ${url ? 'EAAS_API_KEY' : 'EAAS_BASE_URL'}: set EAAS_BASE_URL to the URL of the service, and ` +
        'EAAS_API_KEY to an API key of the tenant.',
    );
  }
  if (isApiKey(apiKey)) return { url, apiKey };
  throw new WrongUsage(
    'EAAS_API_KEY must be eaas_sk_ and 49 letters and digits, with a right checksum: set all of it.',
  );
}

export function readConfig(
  env: Environment = process.env,
  { logLevel = 'info', isConsoleOn = false, usesDevelopmentData = false, drainSeconds = 5 } = {},
) {
  if (isRemote(env)) throw new WrongUsage(notRemote);
  const read = readerOf(env);
  const found = urlVariableOf(env);
  const ignored = found === 'DATABASE_URL' ? judgeDataHere(env[found] ?? '', usesDevelopmentData) : undefined;
  const urlVariable = ignored === undefined ? found : 'EAAS_DATABASE_URL';
  const databaseUrl = read(urlVariable) ?? null;
  const migrateDatabaseUrl = read('EAAS_MIGRATE_DATABASE_URL') ?? null;
  if (migrateDatabaseUrl !== null && databaseUrl === null) {
    throw new CannotStart(
      'EAAS_MIGRATE_DATABASE_URL is set, but EAAS_DATABASE_URL is not set. ' +
        'Set EAAS_DATABASE_URL to the role of the server, or remove both variables to use the data of `eaas dev`.',
    );
  }
  const listening = readListening(read);
  return {
    databaseUrl,
    urlVariable,
    migrateDatabaseUrl,
    openEmbedded: databaseUrl === null ? embeddedIn(read('EAAS_DATA_DIR') ?? null) : null,
    dataDirectory: read('EAAS_DATA_DIR') ?? null,
    ...readRootKeys(read, withoutSecrets(env)),
    ...listening,
    ...readConsole(read, listening.host, isConsoleOn),
    auditRetentionMonths: read('EAAS_AUDIT_RETENTION_MONTHS') ?? 60,
    drainSeconds: read('EAAS_DRAIN_SECONDS') ?? drainSeconds,
    issuerHosts: read('EAAS_ISSUER_HOSTS') ?? [],
    schemaAllow: read('EAAS_SCHEMA_ALLOW') ?? [],
    stateDirectory: read('EAAS_STATE_DIR') ?? null,
    publicLog: readPublicLog(read),
    logLevel: read('EAAS_LOG_LEVEL') ?? logLevel,
    warnings: [...(ignored === undefined ? [] : [ignored]), ...unknownVariables(env)],
    plugins: [] as readonly Plugin[],
  };
}

function withoutSecrets(env: Environment): ProviderEnvironment {
  const entries = Object.entries(env);
  return Object.fromEntries(entries.filter(([name]) => name !== 'DATABASE_URL' && !name.startsWith('EAAS_')));
}

function readListening(read: Read) {
  const host = read('EAAS_HOST') ?? '127.0.0.1';
  const trustProxy = read('EAAS_TRUST_PROXY') ?? null;
  const insecure = read('EAAS_INSECURE_HTTP');
  const cert = read('EAAS_TLS_CERT_FILE');
  const key = read('EAAS_TLS_KEY_FILE');
  if ((cert === undefined) !== (key === undefined)) {
    throw new CannotStart(
      'EAAS_TLS_CERT_FILE and EAAS_TLS_KEY_FILE need each other: set both variables, or neither.',
    );
  }
  const tlsFiles = cert !== undefined && key !== undefined ? { cert, key } : null;
  const unencrypted = !isLoopback(host) && !tlsFiles && !trustProxy;
  if (unencrypted && !insecure) {
    throw new CannotStart(
      `With EAAS_HOST=${host}, the server would send secrets over the network in plain HTTP. ` +
        'Set EAAS_TLS_CERT_FILE and EAAS_TLS_KEY_FILE, or EAAS_TRUST_PROXY to the IP addresses of the TLS proxy, or EAAS_INSECURE_HTTP=1.',
    );
  }
  const port = read('EAAS_PORT');
  return { host, port: port ?? 8080, isPortSet: port !== undefined, trustProxy, tlsFiles, unencrypted };
}

/** The public log is on if there is a policy. */
function readPublicLog(read: Read) {
  const policyFile = read('EAAS_LOG_POLICY_FILE');
  const interval = read('EAAS_LOG_INTERVAL') ?? 60;
  const monitors = new Map(read('EAAS_LOG_MONITORS'));
  return policyFile === undefined ? null : { policyFile, interval, monitors };
}

function readConsole(read: Read, host: string, isOnByDefault: boolean) {
  const isOn = read('EAAS_CONSOLE') ?? isOnByDefault;
  const playground = read('EAAS_PLAYGROUND') ?? (isOn && isOnByDefault);
  if (playground && !isOn) {
    throw new CannotStart(
      'EAAS_PLAYGROUND=1 needs the console: set EAAS_CONSOLE=1, or remove EAAS_PLAYGROUND.',
    );
  }
  const publicUrl = read('EAAS_PUBLIC_URL') ?? null;
  if (isOn && publicUrl === null && !['127.0.0.1', 'localhost', '::1'].includes(host)) {
    throw new CannotStart(
      `The console needs EAAS_PUBLIC_URL if EAAS_HOST is ${host}. ` +
        'Set EAAS_PUBLIC_URL to the origin of the server in browsers, as in https://eaas.example, or set EAAS_CONSOLE=0.',
    );
  }
  return { console: isOn, playground, publicUrl };
}

function unknownVariables(env: Environment): string[] {
  const known = Object.values(variablesOf).flatMap((rows) => rows.map(({ name }) => name));
  return Object.keys(env)
    .filter((name) => name.startsWith('EAAS_') && !known.includes(name))
    .map((name) => {
      const near = nearestOf(known, name);
      const advice = near === undefined ? 'Check the spelling.' : `Did you mean ${near}?`;
      return `${name} is not a variable of this program and is ignored. ${advice}`;
    });
}

type Source = (variable: string, value: string, env: ProviderEnvironment) => RootKeyProvider;

const sources = {
  '': rootKeyInVariable,
  _FILE: rootKeyInFile,
  _COMMAND: rootKeyFromCommand,
} as const satisfies Record<string, Source>;

function readRootKeys(read: Read, env: ProviderEnvironment) {
  const current = onlyOne(read, 'EAAS_ROOT_KEY');
  const previous = onlyOne(read, 'EAAS_ROOT_KEY_PREVIOUS');
  if (current && previous?.value === current.value) {
    throw new CannotStart(
      `${previous.variable} and ${current.variable} contain the same root key: remove ${previous.variable}.`,
    );
  }
  const open = (given: typeof current): RootKeyProvider | null =>
    given ? sources[given.end](given.variable, given.value, env) : null;
  return { rootKey: open(current), previousRootKey: open(previous) };
}

function onlyOne(read: Read, prefix: 'EAAS_ROOT_KEY' | 'EAAS_ROOT_KEY_PREVIOUS') {
  const ends = Object.keys(sources) as (keyof typeof sources)[];
  const [one, other] = ends.flatMap((end) => {
    const variable = `${prefix}${end}` as const;
    const value = read(variable);
    return value === undefined ? [] : [{ end, variable, value }];
  });
  if (!one || !other) return one;
  throw new CannotStart(`${one.variable} and ${other.variable} are both set: remove one of these variables.`);
}

export const isRunByNpx = (): boolean => process.env['npm_lifecycle_event'] === 'npx';
