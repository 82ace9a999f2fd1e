// Where the service may fetch the public keys of sign-ins, and how it fetches them. A tenant chooses the URI, so each fetch
// is judged: nothing is connected to that the operator has not allowed.
import { lookup, Resolver } from 'node:dns/promises';
import { request as plain } from 'node:http';
import { request as encrypted } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { InputError } from '@eaas/protocol';
import { publicKeysIn } from '@eaas/service';
import { limits } from '@eaas/protocol/wire';
import { hostOf, isLoopback, isPublic } from '../base/addresses.ts';
import { Explained } from '../base/explained.ts';
import { timeLimit } from '../base/time-limit.ts';

/** The longest fetch, in milliseconds, with the look-up of the name. */
const patience = 2_000;

interface Address {
  readonly address: string;
  readonly family: number;
}

/** How names become addresses, and which addresses are public. Tests replace it. */
export interface Network {
  /** Looks a host up that the operator has named, as this machine does for every program. */
  readonly lookUp: (host: string) => Promise<readonly Address[]>;
  /** Looks a host up whose name server can be a stranger's: without a thread, which it could hold. */
  readonly resolve: (host: string) => Promise<readonly Address[]>;
  readonly isPublic: (address: string) => boolean;
  /** The certificates to trust, if not those of Node. */
  readonly ca?: string;
}

const internet: Network = { lookUp: (host) => lookup(host, { all: true }), resolve, isPublic };

async function resolve(host: string): Promise<Address[]> {
  const resolver = new Resolver({ timeout: timeLimit(patience), tries: 1 });
  const [four, six] = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
  const found = [
    ...(four.status === 'fulfilled' ? four.value : []).map((address) => ({ address, family: 4 })),
    ...(six.status === 'fulfilled' ? six.value : []).map((address) => ({ address, family: 6 })),
  ];
  if (found.length === 0 && four.status === 'rejected') throw four.reason;
  return found;
}

interface Rule {
  readonly isWildcard: boolean;
  /** The host as URLs have it. With a wildcard, what is behind `*`. */
  readonly host: string;
  /** Undefined for the port that the scheme has without one. */
  readonly port: string | undefined;
}

/** Parses `host`, `host:port` or `*.suffix`. Returns undefined for anything else. */
function parseRule(entry: string): Rule | undefined {
  const [, star, name = '', port] = /^(\*(?=\.))?([.\w-]+|\[[.:\da-f]+\])(?::(\d{1,5}))?$/i.exec(entry) ?? [];
  const isWildcard = star !== undefined;
  const text = `https://${isWildcard ? name.slice(1) : name}`;
  if (name === '' || Number(port ?? 1) < 1 || Number(port ?? 1) > 65_535 || !URL.canParse(text))
    return undefined;
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

/** Says why keys could not be fetched, for the log. */
export class KeysNotFetched extends Explained {
  override readonly name = 'KeysNotFetched';
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
   * Fetches a key set, and returns its public keys as canonical JSON. Throws KeysNotFetched. Connects only to an address that
   * was judged: the name is looked up once.
   */
  async fetch(uri: string): Promise<string> {
    const url = new URL(uri);
    const fault = this.faultOf(uri);
    if (fault !== undefined) throw new KeysNotFetched(`\`jwks_uri\` ${fault}`);
    const ending = new AbortController();
    const late = new KeysNotFetched(`the host took more than ${timeLimit(patience) / 1_000} s`);
    const timer = setTimeout(() => ending.abort(late), timeLimit(patience));
    const ended = new Promise<never>((_, reject) => {
      ending.signal.addEventListener('abort', () => reject(late));
    });
    try {
      const addresses = await Promise.race([this.#addressesOf(url), ended]);
      return publicKeysIn(await Promise.race([this.#get(url, addresses, ending.signal), ended]));
    } catch (error) {
      if (error instanceof InputError)
        throw new KeysNotFetched(`the host sent no usable key set: ${error.message}`);
      if (error instanceof KeysNotFetched) throw error;
      const { code, message } = error as NodeJS.ErrnoException;
      throw new KeysNotFetched(`the host cannot be reached (${code ?? message})`);
    } finally {
      clearTimeout(timer);
    }
  }

  async #addressesOf(url: URL): Promise<readonly Address[]> {
    const host = hostOf(url);
    const family = isIP(host);
    if (family !== 0) return [{ address: host, family }];
    const isWildcard = this.#ruleOf(url)?.isWildcard !== false;
    const addresses = await (isWildcard ? this.#network.resolve(host) : this.#network.lookUp(host));
    const isAllowed = (address: string): boolean =>
      isWildcard ? this.#network.isPublic(address) : url.protocol === 'https:' || isLoopback(address);
    if (addresses.length === 0 || !addresses.every(({ address }) => isAllowed(address)))
      throw new KeysNotFetched(
        `the host has ${isWildcard ? 'an address that is not public' : 'another address than loopback'}`,
      );
    return addresses;
  }

  #get(url: URL, addresses: readonly Address[], signal: AbortSignal): Promise<Uint8Array> {
    const known: LookupFunction = (_host, { all }, answer) => {
      const [first] = addresses;
      if (all || !first) answer(null, [...addresses]);
      else answer(null, first.address, first.family);
    };
    return new Promise((resolve, reject) => {
      const request = (url.protocol === 'https:' ? encrypted : plain)(url, {
        // A connection of its own: one that is kept was judged for another fetch.
        agent: false,
        lookup: known,
        signal,
        headers: { accept: 'application/json', 'accept-encoding': 'identity' },
        ...(this.#network.ca !== undefined && { ca: this.#network.ca }),
      });
      const fail = (reason: string): void => {
        reject(new KeysNotFetched(reason));
        request.destroy();
      };
      request.on('error', reject);
      request.on('close', () => fail('the host ended the connection'));
      request.on('response', (response) => {
        const chunks: Buffer[] = [];
        let length = 0;
        if (response.statusCode !== 200)
          return fail(`the host responded with the status ${response.statusCode}`);
        response.on('data', (chunk: Buffer) => {
          chunks.push(chunk);
          length += chunk.length;
          if (length > limits.keySet) fail(`the host sent more than ${limits.keySet} bytes`);
        });
        response.on('end', () => resolve(Buffer.concat(chunks)));
        response.on('error', reject);
      });
      request.end();
    });
  }
}
