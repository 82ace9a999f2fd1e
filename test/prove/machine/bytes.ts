import { request } from 'node:http';
import type { Place } from '@eaas/test-kit/faults/client';

/** The status is 0 if the connection broke before the response. */
export interface Received {
  readonly status: number;
  readonly text: string;
}

export interface BytesRequest {
  readonly method: string;
  readonly path: string;
  readonly token: string;
  readonly body: Uint8Array;
}

export async function sendBytes(
  { port }: Place,
  { method, path, token, body }: BytesRequest,
): Promise<Received> {
  return new Promise((resolve) => {
    const broken = (): void => resolve({ status: 0, text: '' });
    const headers = {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      'content-length': body.length,
    };
    const call = request({ host: '127.0.0.1', port, method, path, headers, agent: false }, (response) => {
      const parts: Buffer[] = [];
      response.on('data', (part: Buffer) => parts.push(part));
      response.on('error', broken);
      response.on('end', () => {
        resolve({ status: response.statusCode ?? 0, text: Buffer.concat(parts).toString() });
      });
    });
    call.setTimeout(60_000, () => call.destroy());
    call.on('error', broken);
    call.end(body);
  });
}
