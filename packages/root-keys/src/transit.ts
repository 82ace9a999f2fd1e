import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { type IncomingMessage, request as requestPlain } from 'node:http';
import { request as requestSecure } from 'node:https';
import {
  CannotStart,
  decodeRootKey,
  encodeRootKey,
  hostOf,
  isLoopback,
  type ProviderEnvironment,
  reasonOf,
} from '@eaas/server/internal';
import * as z from 'zod/mini';
import { type KeyService, providerDeadline } from './key-service.ts';

const longestResponse = 65_536;
const encrypted = z.object({ data: z.object({ ciphertext: z.string() }) });
const decrypted = z.object({ data: z.object({ plaintext: z.string() }) });
const errorBody = z.object({ errors: z.array(z.string()) });

export const transit: KeyService = {
  title: 'Transit',
  async wrap(key, rootKey, env) {
    const text = encodeRootKey(rootKey);
    const body = Buffer.concat([Buffer.from('{"plaintext":"'), text.subarray(0, -1), Buffer.from('"}')]);
    try {
      const { data } = await call('encrypt', key, body, encrypted, env);
      return { key, ciphertext: data.ciphertext };
    } finally {
      text.fill(0);
      body.fill(0);
    }
  },
  async unwrap({ key, ciphertext }, env) {
    const body = Buffer.from(JSON.stringify({ ciphertext }));
    const { data } = await call('decrypt', key, body, decrypted, env);
    const text = Uint8Array.from(data.plaintext, (letter) => letter.charCodeAt(0));
    const rootKey = decodeRootKey(text);
    text.fill(0);
    return rootKey ?? new Uint8Array();
  },
};

async function call<T>(
  verb: 'encrypt' | 'decrypt',
  key: string,
  body: Buffer,
  expected: z.ZodMiniType<T>,
  env: ProviderEnvironment,
): Promise<T> {
  const [, mount, name] = /^((?:[\w-][\w.-]*\/)*[\w-][\w.-]*)\/([\w-][\w.-]*)$/.exec(key) ?? [];
  if (mount === undefined || name === undefined) {
    throw new CannotStart(
      `The key for Transit must have the form mount/name, as in transit/eaas-root (got ${JSON.stringify(key)}).`,
    );
  }
  const { address, token, namespace, ca } = await readTransitSettings(env);
  const path = `v1/${mount}/${verb}/${name}`;
  const headers = {
    'content-type': 'application/json',
    'x-vault-request': 'true',
    'x-vault-token': token,
    ...(namespace === undefined ? {} : { 'x-vault-namespace': namespace }),
  };
  const where = `Transit at ${address.origin}`;
  const { status, text } = await post(new URL(path, address), headers, body, ca).catch((error: unknown) => {
    throw new CannotStart(
      `${where} did not respond (${describe(error)}). Check VAULT_ADDR, VAULT_CACERT and the network, and start again.`,
    );
  });
  if (status !== 200) {
    const errors = errorBody.safeParse(parse(text)).data?.errors.join(', ') ?? '';
    const said = printable(errors.replaceAll(token, '[token]')).slice(0, 300).trim();
    const reason = said ? `${status}: ${said}` : status;
    throw new CannotStart(
      `${where} refused to ${verb} with the key ${key} (status ${reason}). ${remedy(status, path)}`,
    );
  }
  const response = expected.safeParse(parse(text));
  if (response.success) return response.data;
  throw new CannotStart(
    `${where} sent an unexpected response to ${verb}: check that VAULT_ADDR is the address of OpenBao or Vault.`,
  );
}

function remedy(status: number, path: string): string {
  if (status === 403) return `Give the process a valid token whose policy allows update on ${path.slice(3)}.`;
  if (status === 404) return 'Check the mount of the key, and VAULT_NAMESPACE.';
  if (status === 400) {
    return 'Check that the key exists, that its min_decryption_version is not above the ciphertext, and that the wrapped file is whole.';
  }
  if (status === 503) return 'It is sealed or has no leader: unseal it, and start again.';
  if (status >= 300 && status < 400)
    return 'Set VAULT_ADDR to the active server; redirects are not followed.';
  return 'Start again when it is healthy.';
}

// Requests use `node:https`, because `fetch` in Node needs an extra package to trust a CA from a file.
async function post(
  url: URL,
  headers: Readonly<Record<string, string>>,
  body: Buffer,
  ca: string | undefined,
): Promise<{ status: number; text: string }> {
  const options = {
    method: 'POST',
    headers: { ...headers, 'content-length': body.length },
    agent: false as const,
    signal: AbortSignal.timeout(providerDeadline),
    ...(ca === undefined ? {} : { ca }),
  };
  const sent = url.protocol === 'https:' ? requestSecure(url, options) : requestPlain(url, options);
  const responded = once(sent, 'response');
  sent.end(body);
  const [response] = (await responded) as [IncomingMessage];
  // If the connection fails during the response, `sent` emits an error. An error without a handler would end the
  // process. The handler is empty, because reading `response` throws the same error.
  sent.on('error', () => undefined);
  const chunks: Buffer[] = [];
  let length = 0;
  try {
    for await (const chunk of response as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      length += chunk.length;
      if (length > longestResponse) throw new Error(`more than ${longestResponse} bytes`);
    }
    const whole = Buffer.concat(chunks);
    chunks.push(whole);
    return { status: response.statusCode ?? 0, text: whole.toString() };
  } finally {
    for (const chunk of chunks) chunk.fill(0);
  }
}

function describe(error: unknown): string {
  if (error instanceof Error && error.name === 'AbortError')
    return `no response within ${providerDeadline / 1000} s`;
  return error instanceof Error && 'code' in error ? String(error.code) : reasonOf(error);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

function printable(text: string): string {
  return text.replace(/[^\x20-\x7e]+/g, ' ');
}

async function readTransitSettings(env: ProviderEnvironment) {
  const read = (name: string): string | undefined => env[`BAO_${name}`] || env[`VAULT_${name}`] || undefined;
  const text = read('ADDR');
  const address = text !== undefined && URL.canParse(text) ? new URL(text) : undefined;
  const isSecure =
    address?.protocol === 'https:' || (address?.protocol === 'http:' && isLoopback(hostOf(address)));
  if (!address || !isSecure || address.username || address.password) {
    throw new CannotStart(
      'VAULT_ADDR must be the URL of OpenBao or Vault, as in https://vault.example:8200. Use https, or http if the host is this machine.',
    );
  }
  if (!address.pathname.endsWith('/')) address.pathname += '/';
  const [given, tokenFile, caFile] = [read('TOKEN'), read('TOKEN_PATH'), read('CACERT')];
  if (given !== undefined && tokenFile !== undefined) {
    throw new CannotStart('VAULT_TOKEN and VAULT_TOKEN_PATH are both set: remove one of these variables.');
  }
  const token = given ?? (tokenFile === undefined ? undefined : await fileOf('VAULT_TOKEN_PATH', tokenFile));
  if (token === undefined) {
    throw new CannotStart(
      'There is no token for Transit: set VAULT_TOKEN to the token, or VAULT_TOKEN_PATH to a file with the token.',
    );
  }
  if (!/^[\x21-\x7e]+$/.test(token.trim())) {
    throw new CannotStart(
      'The token from VAULT_TOKEN or VAULT_TOKEN_PATH must have only ASCII characters, without spaces and line breaks.',
    );
  }
  return {
    address,
    token: token.trim(),
    namespace: read('NAMESPACE'),
    ca: caFile === undefined ? undefined : await fileOf('VAULT_CACERT', caFile),
  };
}

function fileOf(variable: string, path: string): Promise<string> {
  return readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new CannotStart(
      `${variable}: the file ${path} cannot be read (${error.code}). Correct the path or the permissions of the file.`,
    );
  });
}
