// Records what a step sends and receives, so that the user sees all that the service saw.
import { toBase64 } from '@eaas/protocol/internal-base64';
import { toHex } from '@eaas/protocol/internal';

export interface Exchange {
  readonly method: string;
  readonly path: string;
  readonly request: string;
  readonly status: number;
  readonly response: string;
}

/** Sends requests, and tells which of them some work has sent. */
export type Recorder = ReturnType<typeof createRecorder>;

export type Recorded<T> = { readonly exchanges: readonly Exchange[] } & (
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly error: unknown }
);

export function createRecorder(send: typeof fetch) {
  let current: Exchange[] = [];
  return {
    fetch: async (...[input, init]: Parameters<typeof fetch>) => {
      const made = current;
      const request = new Request(input, init);
      const text = await request.clone().text();
      const response = await send(request);
      made.push({
        method: request.method,
        path: new URL(request.url).pathname,
        request: text,
        status: response.status,
        response: await response.clone().text(),
      });
      return response;
    },
    during: async <T>(work: () => Promise<T>): Promise<Recorded<T>> => {
      const exchanges: Exchange[] = [];
      current = exchanges;
      try {
        return { ok: true, value: await work(), exchanges };
      } catch (error) {
        return { ok: false, error, exchanges };
      }
    },
  };
}

/** Shortens the data keys in a JSON body for display, because data keys are secret. */
export function shown(body: string): string {
  try {
    const shorten = (name: string, value: unknown): unknown =>
      name === 'dek' && typeof value === 'string' ? `${value.slice(0, 4)}… (a data key, shortened)` : value;
    return JSON.stringify(JSON.parse(body, shorten), null, 2);
  } catch {
    return body;
  }
}

/** Whether a text has the value, as it is, in JSON, in base64 or in hex. */
export function contains(text: string, value: string): boolean {
  const bytes = new TextEncoder().encode(value);
  // Omits the base64 padding and the last character before it. In the base64 of a longer value, this last character can
  // differ, because it also contains bits of the following byte.
  const encoded = toBase64(bytes).replace(/.?=+$/, '');
  const spellings = [value, JSON.stringify(value).slice(1, -1), encoded, toHex(bytes)];
  return spellings.some((spelling) => text.includes(spelling));
}
