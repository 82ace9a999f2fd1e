import { randomBytes } from 'node:crypto';

/** Where a client is pointed: nothing leaves the process, so that no network is measured. */
export interface MemoryService {
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly keyId: string;
  readonly fetch: typeof fetch;
  /** How many requests there were. */
  readonly requests: () => number;
}

interface Item {
  readonly dek?: string;
  readonly wrapped_key?: string;
}

/** A service that wraps by remembering, alone and in batches, and does nothing else: it costs next to nothing. */
export function memoryService(): MemoryService {
  const key_id = '00000000-0000-4000-8000-000000000002';
  const deks = new Map<string, string>();
  let requests = 0;
  const answer = ({ dek, wrapped_key }: Item): object => {
    if (dek === undefined) return { dek: deks.get(wrapped_key ?? ''), key_id, key_version: 1 };
    // As long as those of the real one: 78 bytes.
    const wrapped = randomBytes(78).toString('base64');
    deks.set(wrapped, dek);
    return { wrapped_key: wrapped, key_id, key_version: 1 };
  };
  return {
    baseUrl: 'https://eaas.example',
    apiKey: 'eaas_sk_0000000000000000000000000000000000000000000004C34ms',
    keyId: key_id,
    requests: () => requests,
    fetch: async (input, init) => {
      requests++;
      const body = (await new Request(input, init).json()) as Item & { readonly items?: readonly Item[] };
      return Response.json(body.items ? { results: body.items.map(answer) } : answer(body));
    },
  };
}
