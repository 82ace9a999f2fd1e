// The variables of `eaas`, and how their values are read and checked.
import { isIP } from 'node:net';
import { CannotStart, hostOf, isKeyHost, isLoopback } from '@eaas/server/internal';

export const variables = [
  'EAAS_DATABASE_URL',
  'DATABASE_URL',
  'EAAS_MIGRATE_DATABASE_URL',
  'EAAS_LEAK_DATABASE_URL',
  'EAAS_DATA_DIR',
  'EAAS_ROOT_KEY',
  'EAAS_ROOT_KEY_FILE',
  'EAAS_ROOT_KEY_COMMAND',
  'EAAS_ROOT_KEY_PREVIOUS',
  'EAAS_ROOT_KEY_PREVIOUS_FILE',
  'EAAS_ROOT_KEY_PREVIOUS_COMMAND',
  'EAAS_HOST',
  'EAAS_PORT',
  'EAAS_TRUST_PROXY',
  'EAAS_INSECURE_HTTP',
  'EAAS_TLS_CERT_FILE',
  'EAAS_TLS_KEY_FILE',
  'EAAS_AUDIT_RETENTION_MONTHS',
  'EAAS_ISSUER_HOSTS',
  'EAAS_LOG_POLICY_FILE',
  'EAAS_LOG_INTERVAL',
  'EAAS_LOG_MONITORS',
  'EAAS_LOG_LEVEL',
  'EAAS_CONSOLE',
  'EAAS_PLAYGROUND',
  'EAAS_PUBLIC_URL',
] as const;

export type Variable = (typeof variables)[number];
export type Read = (variable: Variable) => string | undefined;

export function wholeNumber(
  read: Read,
  variable: Variable,
  { otherwise, least, most }: { otherwise: number; least: number; most: number },
): number {
  const text = read(variable);
  if (text === undefined) return otherwise;
  const value = Number(text);
  if (/^\d{1,5}$/.test(text) && value >= least && value <= most) return value;
  // If a namespace has a Service named eaas, Kubernetes sets EAAS_PORT=tcp://… in every pod. The hint says how to
  // prevent this.
  const hint = text.startsWith('tcp://')
    ? ' (Kubernetes set it: set enableServiceLinks: false in the pod)'
    : '';
  throw new CannotStart(`${variable} must be a whole number from ${least} to ${most}${hint}.`);
}

export function oneOf(read: Read, variable: Variable, values: readonly string[]): string | undefined {
  const text = read(variable);
  if (text === undefined || values.includes(text)) return text;
  throw new CannotStart(`${variable} must be one of ${values.join(', ')}.`);
}

export function listenHost(read: Read, variable: Variable, otherwise: string): string {
  const host = (read(variable) ?? otherwise).replace(/^\[(.*)\]$/, '$1');
  if (isIP(host) !== 0 || /^[a-z\d]([a-z\d.-]*[a-z\d])?$/i.test(host)) return host;
  throw new CannotStart(
    `${variable} must be an IP address or a host name to listen on, as in 0.0.0.0 or localhost.`,
  );
}

export function publicOrigin(read: Read, variable: Variable): string | null {
  const text = read(variable);
  if (text === undefined) return null;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isSecure = url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopback(hostOf(url)));
  if (url?.origin === text && isSecure) return text;
  throw new CannotStart(
    `${variable} must be an origin such as https://eaas.example, without a path or a final slash. ` +
      'Use https, or http if the host is this machine.',
  );
}

export function proxyAddresses(read: Read, variable: Variable): readonly string[] | null {
  const text = read(variable);
  if (text === undefined) return null;
  const entries = text.split(',').map((entry) => entry.trim());
  if (entries.every(isProxyAddress)) return entries;
  throw new CannotStart(
    `${variable} must be a comma-separated list of the IP addresses or networks (CIDR) of your proxies, as in 10.0.0.0/8,192.0.2.7.`,
  );
}

export function keyHosts(read: Read, variable: Variable): readonly string[] {
  const entries = (read(variable) ?? '').split(',').map((entry) => entry.trim());
  if (entries.join() === '') return [];
  const wrong = entries.find((entry) => !isKeyHost(entry));
  if (wrong === undefined) return entries;
  throw new CannotStart(
    `${variable} must be a comma-separated list of hosts, as in sign-in.example,10.0.0.7:8443,*.provider.example ` +
      `(got ${JSON.stringify(wrong)}): without https:// and paths, and a wildcard only as *. before a domain.`,
  );
}

export function urlsByName(read: Read, variable: Variable): ReadonlyMap<string, string> {
  const entries = (read(variable) ?? '').split(',').map((entry) => entry.trim());
  if (entries.join() === '') return new Map();
  return new Map(
    entries.map((entry) => {
      const [, name = '', url = ''] = /^([^=]+)=(.+)$/.exec(entry) ?? [];
      if (URL.canParse(url)) return [name, url];
      throw new CannotStart(
        `${variable} must be a comma-separated list of names and URLs, as in one=https://witness.example/one ` +
          `(got ${JSON.stringify(entry)}).`,
      );
    }),
  );
}

function isProxyAddress(entry: string): boolean {
  if (['loopback', 'linklocal', 'uniquelocal'].includes(entry)) return true;
  const [address = '', bits, ...more] = entry.split('/');
  const most = isIP(address) === 4 ? 32 : 128;
  const usable = bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) >= 1 && Number(bits) <= most);
  return isIP(address) !== 0 && usable && more.length === 0;
}

const sslModes = ['disable', 'allow', 'prefer', 'require', 'verify-ca', 'verify-full'];

export function postgresUrl(read: Read, variable: Variable): string | null {
  const text = read(variable);
  if (text === undefined) return null;
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
  const mode = new URL(text).searchParams.get('sslmode');
  if (mode !== null && !sslModes.includes(mode)) {
    throw new CannotStart(`The sslmode in ${variable} must be one of ${sslModes.join(', ')}.`);
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
