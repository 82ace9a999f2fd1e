// How the values of the variables of `eaas` are parsed.
import { isIP } from 'node:net';
import { CannotStart, hostOf, isKeyHost, isLoopback, logLevels } from '@eaas/server/internal';
import { variablesOf } from './variables.ts';

/** Each parser gets the text and the name of the variable, for the error. All other variables are texts. */
const parsers = {
  EAAS_DATABASE_URL: postgresUrl,
  DATABASE_URL: postgresUrl,
  EAAS_MIGRATE_DATABASE_URL: postgresUrl,
  EAAS_HOST: expected('an IP address or a host name to listen on, as in 0.0.0.0 or localhost', listenHost),
  EAAS_PORT: wholeNumber(0, 65_535),
  EAAS_TRUST_PROXY: listOf(
    'the IP addresses or networks (CIDR) of your proxies, as in 10.0.0.0/8,192.0.2.7',
    (entry) => (isProxyAddress(entry) ? entry : undefined),
  ),
  EAAS_INSECURE_HTTP: onOrOff,
  EAAS_AUDIT_RETENTION_MONTHS: wholeNumber(1, 1_200),
  EAAS_DRAIN_SECONDS: wholeNumber(0, 300),
  EAAS_ISSUER_HOSTS: listOf(
    'hosts, as in sign-in.example,10.0.0.7:8443,*.provider.example, without https:// and paths, and with a wildcard only as ' +
      '*. before a domain',
    (entry) => (isKeyHost(entry) ? entry : undefined),
  ),
  EAAS_SCHEMA_ALLOW: listOf(
    'names of triggers, rules, functions or child tables, as in my_trigger,my_schema.my_table',
    (entry) => (entry === '' ? undefined : entry),
  ),
  EAAS_LOG_INTERVAL: wholeNumber(10, 3_600),
  EAAS_LOG_MONITORS: listOf('names and URLs, as in one=https://witness.example/one', namedUrl),
  EAAS_LOG_LEVEL: expected(`one of ${logLevels.join(', ')}`, (text) =>
    logLevels.find((level) => level === text),
  ),
  EAAS_CONSOLE: onOrOff,
  EAAS_PLAYGROUND: onOrOff,
  EAAS_PUBLIC_URL: expected(
    'an origin such as https://eaas.example, without a path or a final slash. Use https, or http if the host is this machine',
    publicOrigin,
  ),
} as const;

type Parsers = typeof parsers;
type Variable = keyof Parsers | `EAAS_${string}`;
type Value<V> = V extends keyof Parsers ? ReturnType<Parsers[V]> : string;
export const variables = variablesOf.service.map(({ name }) => name);

export type Environment = Readonly<Record<string, string | undefined>>;
export type Read = <V extends Variable>(variable: V) => Value<V> | undefined;

/** Returns what reads the value of a variable, or undefined if it is not set. Throws CannotStart. */
export function readerOf(env: Environment): Read {
  return <V extends Variable>(variable: V) => {
    if (!variables.includes(variable)) throw new TypeError(`variables.ts must have ${variable}`);
    const text = env[variable];
    if (text === undefined) return undefined;
    if (text === '') throw new CannotStart(`${variable} is empty: give it a value or remove it.`);
    const parse = variable in parsers ? parsers[variable as keyof Parsers] : String;
    return parse(text, variable) as Value<V>;
  };
}

/** Makes a parser of what reads a text, or returns undefined. */
function expected<T>(what: string, read: (text: string) => T | undefined) {
  return (text: string, variable: string): T => {
    const value = read(text);
    if (value !== undefined) return value;
    // If a namespace has a Service named eaas, Kubernetes sets EAAS_PORT=tcp://… in every pod.
    const isKubernetes = text.startsWith('tcp://');
    const hint = isKubernetes ? ' (Kubernetes set it: set enableServiceLinks: false in the pod)' : '';
    throw new CannotStart(`${variable} must be ${what}${hint}.`);
  };
}

/** Makes a parser of a comma-separated list. The error shows the first entry that is wrong. */
function listOf<T>(what: string, read: (entry: string) => T | undefined) {
  return (text: string, variable: string): readonly T[] =>
    text.split(',').map((part) => {
      const entry = part.trim();
      return expected(`a comma-separated list of ${what} (got ${JSON.stringify(entry)})`, read)(
        entry,
        variable,
      );
    });
}

function wholeNumber(least: number, most: number) {
  return expected(`a whole number from ${least} to ${most}`, (text) => {
    const value = Number(text);
    return /^\d{1,5}$/.test(text) && value >= least && value <= most ? value : undefined;
  });
}

export function onOrOff(text: string, variable: string): boolean {
  return expected('one of 0, 1', (bit) => (/^[01]$/.test(bit) ? bit === '1' : undefined))(text, variable);
}

function listenHost(text: string): string | undefined {
  const host = text.replace(/^\[(.*)\]$/, '$1');
  return isIP(host) !== 0 || /^[a-z\d]([a-z\d.-]*[a-z\d])?$/i.test(host) ? host : undefined;
}

function publicOrigin(text: string): string | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isSecure = url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopback(hostOf(url)));
  return url?.origin === text && isSecure ? text : undefined;
}

function namedUrl(entry: string): readonly [string, string] | undefined {
  const [, name = '', url = ''] = /^([^=]+)=(.+)$/.exec(entry) ?? [];
  return URL.canParse(url) ? [name, url] : undefined;
}

function isProxyAddress(entry: string): boolean {
  if (['loopback', 'linklocal', 'uniquelocal'].includes(entry)) return true;
  const [address = '', bits, ...more] = entry.split('/');
  const most = isIP(address) === 4 ? 32 : 128;
  const usable = bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) >= 1 && Number(bits) <= most);
  return isIP(address) !== 0 && usable && more.length === 0;
}

function postgresUrl(text: string, variable: string): string {
  // A URL with several hosts is refused, because postgres.js hangs if one of several hosts is down.
  const [, authority = ''] = /^\w+:\/\/([^/?#]*)/.exec(text) ?? [];
  if (/,|%2C/i.test(authority.slice(authority.lastIndexOf('@') + 1))) {
    throw new CannotStart(
      `${variable} must have exactly one host. For a cluster, use a proxy that follows the primary.`,
    );
  }
  if (!isPostgresUrl(text)) {
    throw new CannotStart(
      `${variable} must be a PostgreSQL URL, as in postgres://user:password@host:5432/database. ` +
        'Special characters in the password must be percent-encoded.',
    );
  }
  const sslModes = ['disable', 'allow', 'prefer', 'require', 'verify-ca', 'verify-full'];
  const mode = new URL(text).searchParams.get('sslmode');
  if (mode !== null && !sslModes.includes(mode)) {
    throw new CannotStart(`The sslmode in ${variable} must be one of ${sslModes.join(', ')}.`);
  }
  return text;
}

function isPostgresUrl(text: string): boolean {
  try {
    const { protocol, username, password, hostname, pathname } = new URL(text);
    const named = decodeURIComponent(username + password + hostname + pathname);
    return /^postgres(ql)?:$/.test(protocol) && named !== '';
  } catch {
    return false;
  }
}
