import { randomBytes } from 'node:crypto';
import { EaasClient } from '@eaas/sdk';
import { bareFields } from './bare-fields.ts';
import type { Benchmark, Comparison } from './compare.ts';

const rows = 10_000;
const dataKeys = 1_000;
const context = { table: 'patients', column: 'diagnosis' };
const texts = Array.from({ length: rows }, () => randomBytes(32).toString('hex'));

export const benchmark: Benchmark = {
  name: 'many',
  about: `${rows.toLocaleString('en')} rows of 64 bytes at once, by a client that has no data key yet`,
  async comparisons() {
    const service = memoryService();
    const client = new EaasClient(service.options);
    const keys = await Promise.all(
      Array.from({ length: dataKeys }, async () => {
        const dek = randomBytes(32);
        return { dek, wrapped: await client.wrap(dek) };
      }),
    );
    const bare = () => keys.map(({ dek, wrapped }) => bareFields(dek, wrapped, context));
    // Adjacent rows have different data keys.
    const sealers = bare();
    const ciphertexts = texts.map((text, row) => sealers[row % dataKeys]?.seal(text) ?? '');
    return [
      comparison(service, {
        name: 'encryptMany, one data key',
        run: (one) => one.encryptMany(texts, { context }),
        reference: 'bare, the same envelopes',
        bare: () => texts.map(bare()[0]?.seal ?? String),
      }),
      comparison(service, {
        name: `decryptMany, ${dataKeys.toLocaleString('en')} data keys`,
        run: (one) => one.decryptMany(ciphertexts, { context }),
        reference: 'bare, the data keys given',
        bare: () => {
          const openers = bare();
          return ciphertexts.map((ciphertext, row) => openers[row % dataKeys]?.open(ciphertext));
        },
      }),
    ];
  },
};

/** Compares with a new client for each run. Throws if a row fails or a run needs more than one request. */
function comparison(
  service: ReturnType<typeof memoryService>,
  work: {
    readonly name: string;
    readonly run: (client: EaasClient) => Promise<readonly { readonly ok: boolean }[]>;
    readonly reference: string;
    readonly bare: () => unknown;
  },
): Comparison {
  const run = async (): Promise<void> => {
    const client = new EaasClient(service.options);
    const before = service.requests();
    const results = await work.run(client);
    const requests = service.requests() - before;
    if (requests > 1) throw new Error(`${requests} requests instead of one`);
    if (!results.every(({ ok }) => ok)) throw new Error('a row failed');
    await client.close();
  };
  return {
    ours: { name: work.name, size: rows, run },
    reference: { name: work.reference, size: rows, run: work.bare },
  };
}

interface Item {
  readonly dek?: string;
  readonly wrapped_key?: string;
}

/** A service that remembers data keys instead of wrapping them, so that it takes almost no time. */
function memoryService() {
  const key_id = '00000000-0000-4000-8000-000000000002';
  const deks = new Map<string, string>();
  let requests = 0;
  const respond = ({ dek, wrapped_key }: Item): object => {
    if (dek === undefined) return { dek: deks.get(wrapped_key ?? ''), key_id, key_version: 1 };
    // A wrapped key has 78 bytes, as from a real service.
    const wrapped = randomBytes(78).toString('base64');
    deks.set(wrapped, dek);
    return { wrapped_key: wrapped, key_id, key_version: 1 };
  };
  const serve: typeof fetch = async (input, init) => {
    requests++;
    const body = (await new Request(input, init).json()) as Item & { readonly items?: readonly Item[] };
    return Response.json(body.items ? { results: body.items.map(respond) } : respond(body));
  };
  const apiKey = 'eaas_sk_0000000000000000000000000000000000000000000004C34ms';
  return {
    requests: () => requests,
    options: { baseUrl: 'https://eaas.example', apiKey, keyId: key_id, fetch: serve },
  };
}
