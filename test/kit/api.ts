import { connect } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { Output, Route } from '@eaas/protocol/wire';

export interface Answer<Body = unknown> {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Body;
  readonly text: string;
}

type Pattern<R extends string> = R extends `${infer Head}:${infer Parameter}`
  ? Parameter extends `${string}/${infer Rest}`
    ? `${Head}${string}/${Rest}`
    : `${Head}${string}`
  : R;
type WithoutQuery<Path extends string> = Path extends `${infer Before}?${string}` ? Before : Path;

type Answered<Call extends string> = [RouteOf<Call>] extends [never] ? unknown : Output<RouteOf<Call>>;
type RouteOf<Call extends string> = Call extends string
  ? { [R in Route]: IsCallOf<WithoutQuery<Call>, R> extends true ? R : never }[Route]
  : never;
/** A parameter at the end of a `Pattern` also matches slashes. Longer paths are therefore excluded. */
type IsCallOf<Call extends string, R extends Route> = Call extends `${Pattern<R>}/${string}`
  ? false
  : Call extends Pattern<R>
    ? true
    : false;

interface Options {
  readonly headers?: Readonly<Record<string, string>>;
}
type Send<Method extends string> = <const Path extends string>(
  path: Path,
  options?: Options,
) => Promise<Answer<Answered<`${Method} ${Path}`>>>;
type SendBody<Method extends string> = <const Path extends string>(
  path: Path,
  body?: unknown,
  options?: Options,
) => Promise<Answer<Answered<`${Method} ${Path}`>>>;

export interface Client {
  readonly token: string | undefined;
  readonly get: Send<'GET'>;
  readonly delete: Send<'DELETE'>;
  readonly post: SendBody<'POST'>;
  readonly put: SendBody<'PUT'>;
  readonly patch: SendBody<'PATCH'>;
  send(method: string, path: string, body?: BodyInit, headers?: Record<string, string>): Promise<Answer>;
}

/** Sends with the token, and with headers that every request has. */
export function client(baseUrl: string, token?: string, own: Record<string, string> = {}): Client {
  const always = token === undefined ? own : { authorization: `Bearer ${token}`, ...own };
  const send: Client['send'] = async (method, path, body, headers = {}) => {
    const response = await fetch(baseUrl + path, {
      method,
      headers: { ...always, ...headers },
      ...(body === undefined ? {} : { body }),
      redirect: 'manual',
    });
    const text = await response.text();
    return { status: response.status, headers: response.headers, body: parsed(text), text };
  };
  const plain = (method: string) => (path: string, options?: Options) =>
    send(method, path, undefined, { ...options?.headers });
  const json = (method: string) => (path: string, body?: unknown, options?: Options) =>
    body === undefined
      ? send(method, path, undefined, { ...options?.headers })
      : send(method, path, JSON.stringify(body), { 'content-type': 'application/json', ...options?.headers });
  const verbs = {
    get: plain('GET'),
    delete: plain('DELETE'),
    post: json('POST'),
    put: json('PUT'),
    patch: json('PATCH'),
  };
  return { token, send, ...(verbs as Omit<Client, 'token' | 'send'>) };
}

export const asJson = { 'content-type': 'application/json' } as const;

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export async function rawExchange(
  baseUrl: string,
  bytes: Uint8Array | string,
  quietFor = 1_000,
): Promise<string> {
  const { hostname, port, protocol } = new URL(baseUrl);
  const place = { host: hostname, port: Number(port) || (protocol === 'https:' ? 443 : 80) };
  return new Promise((resolve) => {
    const socket = protocol === 'https:' ? connectTls({ ...place, servername: hostname }) : connect(place);
    let received = '';
    const finish = (): void => {
      socket.destroy();
      resolve(received);
    };
    let quiet = setTimeout(finish, 60_000);
    socket.setEncoding('latin1').on('data', (text) => {
      received += String(text);
      clearTimeout(quiet);
      quiet = setTimeout(finish, quietFor);
    });
    socket.on('close', finish).on('error', () => {});
    socket.write(bytes);
  });
}

export function parseRaw(raw: string): { status: number; head: string; body: unknown } {
  const [head = '', body = ''] = raw.split('\r\n\r\n', 2);
  return { status: Number(/^HTTP\/1\.1 (\d{3})/.exec(head)?.[1]), head, body: parsed(body) };
}
