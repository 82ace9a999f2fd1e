import { isIP } from 'node:net';
import { CannotStart } from './cannot-start.ts';
import { type RootKeyProvider, rootKeyInFile, rootKeyInVariable } from './root-keys.ts';

/** Every variable that the program knows. */
export const variables = [
  'DATABASE_URL',
  'EAAS_MIGRATE_DATABASE_URL',
  'EAAS_DATA_DIR',
  'EAAS_ROOT_KEY',
  'EAAS_ROOT_KEY_FILE',
  'EAAS_ROOT_KEY_PREVIOUS',
  'EAAS_HOST',
  'EAAS_PORT',
  'EAAS_TRUST_PROXY',
  'EAAS_INSECURE_HTTP',
  'EAAS_TLS_CERT_FILE',
  'EAAS_TLS_KEY_FILE',
  'EAAS_AUDIT_RETENTION_MONTHS',
  'EAAS_LOG_LEVEL',
] as const;

type Variable = (typeof variables)[number];
type Read = (variable: Variable) => string | undefined;

const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'];

/** What the environment says, checked. */
export interface Config {
  /** Null: the embedded database in the data directory. */
  readonly databaseUrl: string | null;
  /** Of the role that owns the tables. */
  readonly migrateDatabaseUrl: string | null;
  readonly dataDirectory: string;
  /** Null: the one in the data directory, with the embedded database only. */
  readonly rootKey: RootKeyProvider | null;
  readonly previousRootKey: RootKeyProvider | null;
  readonly host: string;
  readonly port: number;
  /** Addresses and networks of proxies whose X-Forwarded headers are believed. */
  readonly trustProxy: readonly string[] | null;
  readonly tlsFiles: { readonly cert: string; readonly key: string } | null;
  /** Whether plain HTTP is served to the network because EAAS_INSECURE_HTTP=1 says so. */
  readonly unencrypted: boolean;
  readonly auditRetentionMonths: number;
  readonly logLevel: string;
  /** Sentences about what can be worked with, and is probably not meant. */
  readonly warnings: readonly string[];
}

/**
 * Reads the environment: the only place that does. Throws CannotStart with a sentence that names the variable whose
 * value cannot be used, and never says the value of a secret.
 */
export function readConfig(env: Readonly<Record<string, string | undefined>> = process.env): Config {
  const read: Read = (variable) => {
    const value = env[variable];
    if (value === '') throw new CannotStart(`${variable} is empty: give it a value or remove it.`);
    return value;
  };
  return {
    ...readDatabase(read),
    dataDirectory: read('EAAS_DATA_DIR') ?? '.eaas',
    ...readRootKeys(read),
    ...readListening(read),
    auditRetentionMonths: wholeNumber(read, 'EAAS_AUDIT_RETENTION_MONTHS', 60, 1, 1200),
    logLevel: oneOf(read, 'EAAS_LOG_LEVEL', logLevels) ?? 'info',
    warnings: unknownVariables(env),
  };
}

function readDatabase(read: Read): Pick<Config, 'databaseUrl' | 'migrateDatabaseUrl'> {
  const databaseUrl = postgresUrl(read, 'DATABASE_URL');
  const migrateDatabaseUrl = postgresUrl(read, 'EAAS_MIGRATE_DATABASE_URL');
  if (migrateDatabaseUrl !== null && databaseUrl === null) {
    throw new CannotStart(
      'EAAS_MIGRATE_DATABASE_URL is set but DATABASE_URL is not: set both, the second with the role that the server ' +
        'runs under (neither: the embedded database).',
    );
  }
  return { databaseUrl, migrateDatabaseUrl };
}

function readRootKeys(read: Read): Pick<Config, 'rootKey' | 'previousRootKey'> {
  const [text, path] = [read('EAAS_ROOT_KEY'), read('EAAS_ROOT_KEY_FILE')];
  if (text !== undefined && path !== undefined) {
    throw new CannotStart('EAAS_ROOT_KEY and EAAS_ROOT_KEY_FILE are both set: keep one of them.');
  }
  const previous = read('EAAS_ROOT_KEY_PREVIOUS');
  if (previous !== undefined && previous === text) {
    throw new CannotStart('EAAS_ROOT_KEY_PREVIOUS is the same key as EAAS_ROOT_KEY: remove it.');
  }
  const inFile = path === undefined ? null : rootKeyInFile('EAAS_ROOT_KEY_FILE', path);
  return {
    rootKey: text === undefined ? inFile : rootKeyInVariable('EAAS_ROOT_KEY', text),
    previousRootKey: previous === undefined ? null : rootKeyInVariable('EAAS_ROOT_KEY_PREVIOUS', previous),
  };
}

function readListening(
  read: Read,
): Pick<Config, 'host' | 'port' | 'trustProxy' | 'tlsFiles' | 'unencrypted'> {
  const host = (read('EAAS_HOST') ?? '127.0.0.1').replace(/^\[(.*)\]$/, '$1');
  if (isIP(host) === 0 && !/^[a-z\d]([a-z\d.-]*[a-z\d])?$/i.test(host)) {
    throw new CannotStart(
      'EAAS_HOST must be an address or a host name to listen on, as in 0.0.0.0 or localhost.',
    );
  }
  const trustProxy = read('EAAS_TRUST_PROXY')?.split(',').map(proxyAddress) ?? null;
  const insecure = oneOf(read, 'EAAS_INSECURE_HTTP', ['0', '1']) === '1';
  const [cert, key] = [read('EAAS_TLS_CERT_FILE'), read('EAAS_TLS_KEY_FILE')];
  if ((cert === undefined) !== (key === undefined)) {
    throw new CannotStart('EAAS_TLS_CERT_FILE and EAAS_TLS_KEY_FILE go together: set both, or neither.');
  }
  const tlsFiles = cert !== undefined && key !== undefined ? { cert, key } : null;
  const unencrypted = !isLoopback(host) && !tlsFiles && !trustProxy;
  if (unencrypted && !insecure) {
    throw new CannotStart(
      `EAAS_HOST=${host} would serve secrets over plain HTTP to the network: set EAAS_TLS_CERT_FILE and ` +
        'EAAS_TLS_KEY_FILE, or EAAS_TRUST_PROXY to the addresses of the proxy that ends TLS, or EAAS_INSECURE_HTTP=1.',
    );
  }
  return { host, port: wholeNumber(read, 'EAAS_PORT', 8080, 0, 65_535), trustProxy, tlsFiles, unencrypted };
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'));
}

/** An address, a network as in 10.0.0.0/8, or one of the names that stand for networks. */
function proxyAddress(text: string): string {
  const entry = text.trim();
  if (['loopback', 'linklocal', 'uniquelocal'].includes(entry)) return entry;
  const [address = '', bits, ...more] = entry.split('/');
  const most = isIP(address) === 4 ? 32 : 128;
  const usable = bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) >= 1 && Number(bits) <= most);
  if (isIP(address) === 0 || !usable || more.length > 0) {
    throw new CannotStart(
      'EAAS_TRUST_PROXY must be addresses or networks of proxies, separated by commas, as in 10.0.0.0/8,192.0.2.7.',
    );
  }
  return entry;
}

function postgresUrl(read: Read, variable: Variable): string | null {
  const text = read(variable);
  if (text === undefined) return null;
  if (!isPostgresUrl(text)) {
    throw new CannotStart(
      `${variable} must be a URL of PostgreSQL, as in postgres://user:password@host:5432/database (special ` +
        'characters in the password percent-encoded).',
    );
  }
  // postgres.js takes a list, and hangs when one of them is down: at a failover, when it matters.
  if (decodeURIComponent(new URL(text).hostname).includes(',')) {
    throw new CannotStart(
      `${variable} must name one host: a name, an address or a proxy that follows the primary.`,
    );
  }
  return text;
}

function isPostgresUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, username, password, hostname, pathname } = new URL(text);
  try {
    return (
      /^postgres(ql)?:$/.test(protocol) &&
      decodeURIComponent(username + password + hostname + pathname) !== ''
    );
  } catch {
    return false;
  }
}

function wholeNumber(read: Read, variable: Variable, otherwise: number, least: number, most: number): number {
  const text = read(variable);
  if (text === undefined) return otherwise;
  const value = Number(text);
  if (/^\d{1,5}$/.test(text) && value >= least && value <= most) return value;
  // Kubernetes sets EAAS_PORT=tcp://… in every pod of a namespace that has a Service named eaas.
  const hint = text.startsWith('tcp://') ? ' (Kubernetes has set it: say enableServiceLinks: false)' : '';
  throw new CannotStart(`${variable} must be a whole number from ${least} to ${most}${hint}.`);
}

function oneOf(read: Read, variable: Variable, values: readonly string[]): string | undefined {
  const text = read(variable);
  if (text === undefined || values.includes(text)) return text;
  throw new CannotStart(`${variable} must be one of ${values.join(', ')}.`);
}

/** What clients are told by, in the same shell perhaps. */
const ofClients = ['EAAS_API_KEY', 'EAAS_BASE_URL'];

function unknownVariables(env: Readonly<Record<string, string | undefined>>): string[] {
  const known: ReadonlySet<string> = new Set([...variables, ...ofClients]);
  return Object.keys(env)
    .filter((name) => name.startsWith('EAAS_') && !known.has(name))
    .map((name) => `${name} is not a variable that this program knows; it is ignored.`);
}
