import { randomBytes } from 'node:crypto';
import type { Context } from '@eaas/protocol';
import { EaasClient } from '@eaas/sdk';
import { bareFields } from './bare-fields.ts';
import type { Benchmark, Comparison } from './compare.ts';
import { type MemoryService, memoryService } from './memory-service.ts';

const rows = 10_000;
const dataKeys = 1_000;
const context: Context = { table: 'patients', column: 'diagnosis' };
const texts = Array.from({ length: rows }, () => randomBytes(32).toString('hex'));

interface Sealed {
  readonly dek: Buffer;
  readonly wrapped: Awaited<ReturnType<EaasClient['wrap']>>;
  readonly ciphertexts: readonly string[];
}

export const benchmark: Benchmark = {
  name: 'many',
  about: `${rows.toLocaleString('en')} rows of 64 bytes at once, by a client that has no data key yet`,
  async comparisons() {
    const service = memoryService();
    const sealed = await sealedRows(service);
    return [encrypting(service, sealed), decrypting(service, sealed)];
  },
};

/** The rows under a thousand data keys, ten under each, in an order in which neighbours have different ones. */
async function sealedRows(service: MemoryService): Promise<Sealed[]> {
  const client = new EaasClient(service);
  return Promise.all(
    Array.from({ length: dataKeys }, async (_, index) => {
      const dek = randomBytes(32);
      const wrapped = await client.wrap(dek);
      const { seal } = bareFields(dek, wrapped, context);
      const own = texts.filter((_text, row) => row % dataKeys === index);
      return { dek, wrapped, ciphertexts: own.map(seal) };
    }),
  );
}

function encrypting(service: MemoryService, [first]: readonly Sealed[]): Comparison {
  if (!first) throw new Error('there is a data key');
  const counted = counter(service);
  return {
    ours: {
      name: 'encryptMany, one data key',
      size: rows,
      run: counted.run((client) => client.encryptMany(texts, { context })),
    },
    reference: {
      name: 'bare, the same envelopes',
      size: rows,
      run: () => {
        const { seal } = bareFields(first.dek, first.wrapped, context);
        return texts.map(seal);
      },
    },
    note: counted.note,
  };
}

function decrypting(service: MemoryService, sealed: readonly Sealed[]): Comparison {
  const ciphertexts = texts.map((_, row) => {
    const ciphertext = sealed[row % dataKeys]?.ciphertexts[Math.floor(row / dataKeys)];
    if (!ciphertext) throw new Error('there is a ciphertext for each row');
    return ciphertext;
  });
  const counted = counter(service);
  return {
    ours: {
      name: `decryptMany, ${dataKeys.toLocaleString('en')} data keys`,
      size: rows,
      run: counted.run((client) => client.decryptMany(ciphertexts, { context })),
    },
    reference: {
      name: 'bare, the data keys given',
      size: rows,
      run: () => {
        const openers = sealed.map(({ dek, wrapped }) => bareFields(dek, wrapped, context).open);
        return ciphertexts.map((ciphertext, row) => openers[row % dataKeys]?.(ciphertext));
      },
    },
    note: counted.note,
  };
}

/** Runs with a new client each time, and sees to it that everything succeeds with one request. */
function counter(service: MemoryService) {
  let most = 0;
  return {
    run: (work: (client: EaasClient) => Promise<readonly { readonly ok: boolean }[]>) => async () => {
      const client = new EaasClient(service);
      const before = service.requests();
      const results = await work(client);
      most = Math.max(most, service.requests() - before);
      if (most > 1) throw new Error(`${most} requests, and one would do`);
      if (!results.every(({ ok }) => ok)) throw new Error('a row failed');
      await client.close();
    },
    note: () => `requests for all the rows: ${most}`,
  };
}
