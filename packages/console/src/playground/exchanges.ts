export interface Exchange {
  readonly method: string;
  readonly path: string;
  readonly request: string;
  readonly status: number;
  readonly response: string;
}

export interface Recorder {
  readonly fetch: typeof fetch;
  readonly during: <T>(work: () => Promise<T>) => Promise<Recorded<T>>;
}

export type Recorded<T> = { readonly exchanges: readonly Exchange[] } & (
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly error: unknown }
);

export function createRecorder(send: typeof fetch): Recorder {
  let current: Exchange[] = [];
  return {
    fetch: async (input, init) => {
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
    during: async (work) => {
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

export function refusedBy(exchanges: readonly Exchange[]): 'page_before' | 'service' | 'page_after' {
  const last = exchanges.at(-1);
  if (!last) return 'page_before';
  return last.status < 400 ? 'page_after' : 'service';
}
