import { randomBytes } from 'node:crypto';
import { EaasClient } from '@eaas/sdk';
import { defineFields, text, unencrypted } from '@eaas/sdk/fields';
import { bareFields } from './bare-fields.ts';
import type { Benchmark, Comparison } from './compare.ts';

const rows = 10_000;
const dataKeys = 1_000;
const target = 0.7;
const coldTarget = 1 / 1.5;
const context = { table: 'patients', column: 'diagnosis' };
const texts = Array.from({ length: rows }, () => randomBytes(32).toString('hex'));

export const benchmark: Benchmark = {
  name: 'many',
  about: `one call of the client that encrypts or decrypts ${rows.toLocaleString('en')} rows of 64 bytes. A cold client has no data key in memory, and requests all data keys first. A cold call may take 1.5 times as long as a warm call`,
  async comparisons() {
    const service = memoryService();
    const warm = new EaasClient(service.options);
    const keys = await Promise.all(
      Array.from({ length: dataKeys }, async () => {
        const dek = randomBytes(32);
        return { dek, wrapped: await warm.wrap(dek) };
      }),
    );
    const bare = (count: number) =>
      keys.slice(0, count).map((key) => bareFields(key.dek, key.wrapped, context));
    const ready = bare(dataKeys);
    const sealed = (count: number) => texts.map((text, row) => ready[row % count]?.seal(text) ?? '');
    const opens = (count: number): Comparison[] => {
      const ciphertexts = sealed(count);
      const open = (openers: typeof ready) =>
        ciphertexts.map((text, row) => openers[row % count]?.open(text));
      const run = (client: EaasClient) => client.decryptMany(ciphertexts, { context, as: 'text' });
      const name = count === 1 ? 'one data key' : `${count.toLocaleString('en')} data keys`;
      return [
        comparison(
          `decryptMany, ${name}`,
          () => requireAll(run(warm)),
          () => open(ready),
          target,
        ),
        comparison(
          `decryptMany, ${name}, cold`,
          cold(service, (client) => requireAll(run(client))),
          () => open(bare(count)),
        ),
      ];
    };
    const seal = (client: EaasClient) => client.encryptMany(texts, { context });
    const stored = await storedRows(service);
    const openRows = (client: EaasClient) =>
      patients.for(client).decryptRows('patients', stored, ({ id }) => id);
    return [
      comparison(
        'encryptMany',
        () => requireAll(seal(warm)),
        () => texts.map(ready[0]?.seal ?? String),
        target,
      ),
      comparison(
        'encryptMany, cold',
        cold(service, (client) => requireAll(seal(client))),
        () => texts.map(bare(1)[0]?.seal ?? String),
      ),
      ...opens(1),
      ...opens(dataKeys),
      {
        ours: { name: 'decryptRows, 1,000 data keys, cold', size: rows, run: cold(service, openRows) },
        reference: { name: 'the same, warm', size: rows, run: () => openRows(warm) },
        target: coldTarget,
      },
    ];
  },
};

const patients = defineFields({ patients: { ...unencrypted('id'), diagnosis: text() } });

async function storedRows(service: ReturnType<typeof memoryService>) {
  const each = rows / dataKeys;
  const ofKey = async (key: number) => {
    await using client = new EaasClient(service.options);
    const first = key * each;
    const plain = texts.slice(first, first + each).map((diagnosis, at) => ({ id: first + at, diagnosis }));
    return await patients.for(client).encryptRows('patients', plain, ({ id }) => id);
  };
  const byKey = await Promise.all(Array.from({ length: dataKeys }, (_, key) => ofKey(key)));
  // Neighbouring rows have different data keys.
  return Array.from({ length: each }, (_, at) => byKey.flatMap((ofOne) => ofOne.slice(at, at + 1))).flat();
}

function comparison(name: string, run: () => Promise<void>, bare: () => unknown, least?: number): Comparison {
  return {
    ours: { name, size: rows, run },
    reference: { name: 'bare, the data keys given', size: rows, run: bare },
    ...(least !== undefined && { target: least }),
  };
}

type Results = Promise<readonly { readonly ok: boolean }[]>;

async function requireAll(results: Results): Promise<void> {
  if (!(await results).every(({ ok }) => ok)) throw new Error('a row failed');
}

function cold(service: ReturnType<typeof memoryService>, run: (client: EaasClient) => Promise<unknown>) {
  return async (): Promise<void> => {
    let requests = 0;
    // Counts only the requests of the cold client. The warm client also sends requests, because it renews its data key.
    const counting: typeof fetch = (...request) => {
      requests++;
      return service.options.fetch(...request);
    };
    const client = new EaasClient({ ...service.options, fetch: counting });
    await run(client);
    if (requests > 1)
      throw new Error(`the client must send at most one request for all values (got ${requests})`);
    await client.close();
  };
}

interface Item {
  readonly reference?: string;
  readonly dek?: string;
  readonly wrapped_key?: string;
}

function memoryService() {
  const key_id = '00000000-0000-4000-8000-000000000002';
  const deks = new Map<string, string>();
  const respond = ({ reference, dek, wrapped_key }: Item): object => {
    if (dek === undefined) return { reference, dek: deks.get(wrapped_key ?? ''), key_id, key_version: 1 };
    // A real wrapped key has a length of 78 bytes.
    const wrapped = randomBytes(78).toString('base64');
    deks.set(wrapped, dek);
    return { reference, wrapped_key: wrapped, key_id, key_version: 1 };
  };
  const serve: typeof fetch = async (input, init) => {
    const body = (await new Request(input, init).json()) as Item & { readonly items?: readonly Item[] };
    return Response.json(body.items ? { results: body.items.map(respond) } : respond(body));
  };
  const apiKey = 'eaas_sk_0000000000000000000000000000000000000000000004C34ms';
  return {
    options: { baseUrl: 'https://eaas.example', apiKey, keyId: key_id, fetch: serve },
  };
}
