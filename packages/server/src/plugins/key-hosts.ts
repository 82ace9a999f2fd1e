// Where the service may fetch the public keys of sign-ins, and how it fetches them. A tenant chooses the URI, so each fetch
// is judged: nothing is connected to that the operator has not allowed.
import type { LookupAddress } from 'node:dns';
import { lookup, Resolver } from 'node:dns/promises';
import { isIP, type LookupFunction } from 'node:net';
import { InputError } from '@eaas/protocol';
import { publicKeysIn } from '@eaas/service';
import { hostOf, isLoopback, isPublic } from '../base/addresses.ts';
import { askHost, HostFailed, inTime } from '../base/ask-host.ts';
import { timeLimit } from '../base/time-limit.ts';

/** The longest fetch, in milliseconds, with the look-up of the name. */
const patience = 2_000;

/** How names become addresses, and which addresses are public. Tests replace it. */
export interface Network {
  /** Looks a host up that the operator has named, as this machine does for every program. */
  readonly lookUp: (host: string) => Promise<readonly LookupAddress[]>;
  /** Looks a host up whose name server can be a stranger's: without a thread, which it could hold. */
  readonly resolve: (host: string) => Promise<readonly LookupAddress[]>;
  readonly isPublic: (address: string) => boolean;
  /** The certificates to trust, if not those of Node. */
  readonly ca?: string;
}

const internet: Network = { lookUp: (host) => lookup(host, { all: true }), resolve, isPublic };

async function resolve(host: string): Promise<LookupAddress[]> {
  const resolver = new Resolver({ timeout: timeLimit(patience), tries: 1 });
  const [four, six] = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
  const found = [
    ...(four.status === 'fulfilled' ? four.value : []).map((address) => ({ address, family: 4 })),
    ...(six.status === 'fulfilled' ? six.value : []).map((address) => ({ address, family: 6 })),
  ];
  if (found.length === 0 && four.status === 'rejected') throw four.reason;
  return found;
}

type Rule = NonNullable<ReturnType<typeof parseRule>>;

/**
 * Parses `host`, `host:port` or `*.suffix`. Returns undefined for anything else. The host is as URLs have it, with a wildcard what
 * is behind `*`, and the port is undefined for the one that the scheme has without one.
 */
function parseRule(entry: string) {
  const [, star, name = '', port] = /^(\*(?=\.))?([.\w-]+|\[[.:\da-f]+\])(?::(\d{1,5}))?$/i.exec(entry) ?? [];
  const isWildcard = star !== undefined;
  const text = `https://${isWildcard ? name.slice(1) : name}`;
  if (name === '' || Number(port ?? 1) < 1 || Number(port ?? 1) > 65_535 || !URL.canParse(text)) {
    return undefined;
  }
  const { hostname } = new URL(text);
  if (!isWildcard) return { isWildcard, host: hostname, port: port && String(Number(port)) };
  // `*.com` would allow hosts of anybody, and an address has no names below it.
  const hasOwner = /^[^.]+(\.[^.]+)+$/.test(hostname) && isIP(hostname) === 0;
  return hasOwner && port === undefined ? { isWildcard, host: `.${hostname}`, port } : undefined;
}

/** Whether a text is one of `host`, `host:port` and `*.suffix`. */
export function isKeyHost(entry: string): boolean {
  return parseRule(entry) !== undefined;
}

export class KeyHosts {
  readonly #rules: readonly Rule[];
  readonly #network: Network;

  constructor(allowed: readonly string[], network: Network = internet) {
    const rules = allowed.map(parseRule).filter((rule) => rule !== undefined);
    // A host that is named exactly may have any address, also if a wildcard would allow it.
    this.#rules = rules.toSorted((a, b) => Number(a.isWildcard) - Number(b.isWildcard));
    this.#network = network;
  }

  /** Why the service does not fetch from a URI, or undefined if it does. The address of a wildcard's host is judged later. */
  faultOf(uri: string): string | undefined {
    const url = new URL(uri);
    const rule = this.#ruleOf(url);
    if (!rule) {
      return (
        `names the host "${url.host}", from which this service does not fetch: its operator allows hosts with ` +
        'EAAS_ISSUER_HOSTS. Or send the keys themselves, as `jwks`'
      );
    }
    const isPlain = url.protocol === 'http:' && (rule.isWildcard || !isLoopback(hostOf(url)));
    return isPlain ? 'must begin with https: http is only for a loopback address' : undefined;
  }

  #ruleOf(url: URL): Rule | undefined {
    const { hostname, port, protocol } = url;
    const given = port || (protocol === 'https:' ? '443' : '80');
    return this.#rules.find((rule) => {
      if (rule.port === undefined ? port !== '' : rule.port !== given) return false;
      if (!rule.isWildcard) return rule.host === hostname;
      return hostname.endsWith(rule.host) && isIP(hostOf(url)) === 0;
    });
  }

  /**
   * Fetches a key set, and returns its public keys as canonical JSON. Throws HostFailed. Connects only to an address that was
   * judged: the name is looked up once.
   */
  async fetch(uri: string): Promise<string> {
    const url = new URL(uri);
    const fault = this.faultOf(uri);
    if (fault !== undefined) throw new HostFailed(`\`jwks_uri\` ${fault}`);
    const limit = timeLimit(patience);
    const late = `the host took more than ${limit / 1_000} s`;
    try {
      return publicKeysIn(await inTime(limit, late, (signal) => this.#get(url, signal)));
    } catch (error) {
      if (error instanceof InputError) {
        throw new HostFailed(`the host sent no usable key set: ${error.message}`);
      }
      if (error instanceof HostFailed) throw error;
      const { code, message } = error as NodeJS.ErrnoException;
      throw new HostFailed(`the host cannot be reached (${code ?? message})`);
    }
  }

  async #addressesOf(url: URL): Promise<readonly LookupAddress[]> {
    const host = hostOf(url);
    const family = isIP(host);
    if (family !== 0) return [{ address: host, family }];
    const isWildcard = this.#ruleOf(url)?.isWildcard !== false;
    const addresses = await (isWildcard ? this.#network.resolve(host) : this.#network.lookUp(host));
    const isAllowed = (address: string): boolean =>
      isWildcard ? this.#network.isPublic(address) : url.protocol === 'https:' || isLoopback(address);
    if (addresses.length === 0 || !addresses.every(({ address }) => isAllowed(address))) {
      throw new HostFailed(
        `the host has ${isWildcard ? 'an address that is not public' : 'another address than loopback'}`,
      );
    }
    return addresses;
  }

  async #get(url: URL, signal: AbortSignal): Promise<Uint8Array> {
    const addresses = await this.#addressesOf(url);
    const known: LookupFunction = (_host, { all }, answer) => {
      const [first] = addresses;
      if (all || !first) answer(null, [...addresses]);
      else answer(null, first.address, first.family);
    };
    const { ca } = this.#network;
    const options = { signal, lookup: known, ...(ca !== undefined && { ca }) };
    const headers = { accept: 'application/json' };
    return (await askHost(url, { ...options, who: 'the host', status: 200, headers })).bytes;
  }
}
