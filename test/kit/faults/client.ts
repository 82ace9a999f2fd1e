import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import type { ServerProcess } from '../program.ts';

export interface Answer {
  readonly status: number;
  readonly code: string;
  readonly body: Record<string, unknown>;
  readonly sentAt: number;
  readonly answeredAt: number;
}

/** A request that receives no byte for 60 s counts as failed. */
const hangs = 60_000;

export type Place = Pick<ServerProcess, 'port'> & {
  /** The issuer of the token, if that is a user's. */
  readonly issuerId?: string;
};

const kept = new Agent({ keepAlive: true, maxSockets: 2_000 });

/** Sends bytes as they are, and any other body as JSON. */
export async function send(
  { port, issuerId }: Place,
  token: string,
  method: string,
  path: string,
  body?: unknown,
): Promise<Answer> {
  const sentAt = performance.now();
  const content = Buffer.isBuffer(body) ? body : Buffer.from(JSON.stringify(body) ?? '');
  const headers = {
    authorization: `Bearer ${token}`,
    ...(issuerId !== undefined && { 'eaas-issuer': issuerId }),
    ...(content.length > 0 && { 'content-type': 'application/json', 'content-length': content.length }),
  };
  const call = request({ agent: kept, host: '127.0.0.1', port, method, path, headers }).on('error', () => {});
  call.setTimeout(hangs, () => call.destroy(Object.assign(new Error('hangs'), { code: 'hangs' })));
  try {
    const responding = once(call, 'response');
    call.end(content);
    const [response] = (await responding) as [IncomingMessage];
    const received = parse(await text(response));
    const { code = '' } = received as { code?: string };
    const answeredAt = performance.now();
    return { status: response.statusCode ?? 0, code, body: received, sentAt, answeredAt };
  } catch (error) {
    const { code = 'broken' } = error as NodeJS.ErrnoException;
    return { status: 0, code, body: {}, sentAt, answeredAt: performance.now() };
  }
}

export async function call<T = Record<string, unknown>>(...all: Parameters<typeof send>): Promise<T> {
  const { status, code, body } = await send(...all);
  if (status >= 200 && status <= 299) return body as T;
  const [, , method, path] = all;
  throw new Error(
    `${method} ${path}: expected a successful response, got ${status} ${code} ${String(body['detail'])}`,
  );
}

function parse(json: string): Record<string, unknown> {
  try {
    return JSON.parse(json) as Record<string, unknown>;
  } catch {
    return {};
  }
}
