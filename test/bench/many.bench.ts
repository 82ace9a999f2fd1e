import { randomBytes } from 'node:crypto';
import type { Context, Wrapped } from '@eaas/protocol';
import { toBase64 } from '@eaas/protocol/base64';
import { EaasClient } from '@eaas/sdk';
import { defineFields, field, unencrypted } from '@eaas/sdk/fields';
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
  about: `one call of the client that encrypts or decrypts ${rows.toLocaleString('en')} rows of 64 bytes. A cold client has no data key in memory, and requests all data keys first. A cold \`decryptRows\` may take 1.5 times as long as a warm call and the request`,
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
      const name = nameOf(count);
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
    return [
      comparison(
        'encryptMany',
        () => requireAll(seal(warm)),
        () => texts.map((text) => ready[0]?.seal(text)),
        target,
      ),
      comparison(
        'encryptMany, cold',
        cold(service, (client) => requireAll(seal(client))),
        () => bare(1).flatMap(({ seal }) => texts.map((text) => seal(text))),
      ),
      ...opens(1),
      ...opens(dataKeys),
      comparison(
        'encryptRows',
        () => patients.for(warm).encryptRows('patients', plain, ({ id }) => id),
        () => sealRows(ready.slice(0, 1)),
        target,
      ),
      ...[1, dataKeys].flatMap((count) =>
        opensRows(service, warm, ready.slice(0, count), () => requestAll(service, keys.slice(0, count))),
      ),
    ];
  },
};

type Bare = ReturnType<typeof bareFields>;

const patients = defineFields({ patients: { ...unencrypted('id'), diagnosis: field.text() } });
const plain = texts.map((diagnosis, id) => ({ id, diagnosis }));
const contextOf = (id: number): Context => ({ table: 'patients', field: 'diagnosis', row: String(id) });

/** Neighbouring rows have different data keys. */
function sealRows(keys: readonly Bare[]) {
  return plain.map(({ id, diagnosis }) => ({
    id,
    diagnosis: keys[id % keys.length]?.seal(diagnosis, contextOf(id)) ?? '',
  }));
}

function openRows(keys: readonly Bare[], stored: typeof plain) {
  return stored.map(({ id, diagnosis }) => ({
    id,
    diagnosis: keys[id % keys.length]?.open(diagnosis, contextOf(id)),
  }));
}

/** Sends the unwrap request of a client that has no data keys yet, and reads the response. */
async function requestAll(service: Service, keys: readonly { readonly wrapped: Wrapped }[]): Promise<void> {
  const items = keys.map(({ wrapped }) => ({ wrapped_key: toBase64(wrapped.wrappedKey) }));
  const init = { method: 'POST', body: JSON.stringify({ items }) };
  await (await service.options.fetch(`${service.options.baseUrl}/v1/batch/unwrap`, init)).json();
}

function opensRows(
  service: Service,
  warm: EaasClient,
  keys: readonly Bare[],
  request: () => Promise<void>,
): Comparison[] {
  const stored = sealRows(keys);
  const open = (client: EaasClient) => patients.for(client).decryptRows('patients', stored, ({ id }) => id);
  const name = `decryptRows, ${nameOf(keys.length)}`;
  return [
    comparison(
      name,
      () => open(warm),
      () => openRows(keys, stored),
      target,
    ),
    {
      ours: { name: `${name}, cold`, size: rows, run: cold(service, open) },
      reference: {
        name: 'warm, and one bare request',
        size: rows,
        run: () => open(warm).then(request),
      },
      target: coldTarget,
    },
  ];
}

const nameOf = (count: number): string =>
  count === 1 ? 'one data key' : `${count.toLocaleString('en')} data keys`;

function comparison(
  name: string,
  run: () => Promise<unknown>,
  bare: () => unknown,
  least?: number,
): Comparison {
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

function cold(service: Service, run: (client: EaasClient) => Promise<unknown>) {
  return async (): Promise<void> => {
    let requests = 0;
    // Counts only the requests of the new client. Other clients use the same `fetch` to renew their data keys.
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

type Service = ReturnType<typeof memoryService>;

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
  const apiKey = 'eaas_sk_' + '0'.repeat(43) + '4C34ms';
  return {
    options: { baseUrl: 'https://eaas.example', apiKey, keyId: key_id, fetch: serve },
  };
}
