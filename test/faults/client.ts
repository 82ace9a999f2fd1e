import { Agent, request } from 'node:http';
import type { Replica } from './replica.ts';

/** What came of a request. Status 0: no answer, the connection broke or was refused. */
export interface Answer {
  readonly status: number;
  /** The problem's code, or why there is no answer. */
  readonly code: string;
  readonly body: Record<string, unknown>;
  readonly sentAt: number;
  readonly answeredAt: number;
}

/** After so many milliseconds a request hangs. */
const hangs = 20_000;

/** Where requests go: a replica, or whichever has its place just then. */
export type Place = Pick<Replica, 'port'>;

const agent = new Agent({ keepAlive: true, maxSockets: 2_000 });

/** Sends a request with a JSON body, or none, and never throws. */
export async function send(
  place: Place,
  token: string,
  method: string,
  path: string,
  body?: unknown,
): Promise<Answer> {
  const sentAt = performance.now();
  const done = (status: number, text: string, code = ''): Answer => {
    const parsed = parse(text);
    const answeredAt = performance.now();
    return {
      status,
      code: code || (parsed['code'] as string | undefined) || '',
      body: parsed,
      sentAt,
      answeredAt,
    };
  };
  return new Promise((resolve) => {
    const headers: Record<string, string | number> = { authorization: `Bearer ${token}` };
    const text = body === undefined ? '' : JSON.stringify(body);
    if (body !== undefined) {
      Object.assign(headers, {
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(text),
      });
    }
    const call = request(
      { agent, host: '127.0.0.1', port: place.port, method, path, headers },
      (response) => {
        let received = '';
        response.setEncoding('utf8').on('data', (part: string) => (received += part));
        response.on('end', () => resolve(done(response.statusCode ?? 0, received)));
        response.on('error', (error: NodeJS.ErrnoException) => resolve(done(0, '', error.code ?? 'broken')));
      },
    );
    call.setTimeout(hangs, () => call.destroy(Object.assign(new Error('hangs'), { code: 'hangs' })));
    call.on('error', (error: NodeJS.ErrnoException) => resolve(done(0, '', error.code ?? 'broken')));
    call.end(text);
  });
}

/** The same, for what has to succeed. */
export async function call<T = Record<string, unknown>>(
  place: Place,
  token: string,
  method: string,
  path: string,
  body?: unknown,
): Promise<T> {
  const answer = await send(place, token, method, path, body);
  if (answer.status < 200 || answer.status > 299) {
    throw new Error(
      `${method} ${path} answered ${answer.status} ${answer.code} ${String(answer.body['detail'])}`,
    );
  }
  return answer.body as T;
}

function parse(text: string): Record<string, unknown> {
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    return {};
  }
}
