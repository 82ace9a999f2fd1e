import type { EaasClient } from '@eaas/sdk';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { observedClient } from '../../test/observed-client.ts';
import { endOf, type Person, simulatedClock, tableOf } from '../../test/simulated-table.ts';
import { createIntake } from '../intake/intake.ts';
import { formOf, isIntake } from './store.ts';
import { type ReencryptProgress, reencrypt, type ReencryptOptions } from './reencrypt.ts';

class Crash extends Error {}

type Table = ReturnType<typeof tableOf>;

interface World {
  readonly table: Table;
  readonly client: EaasClient;
  readonly newest: Map<number, string>;
  readonly formats: readonly ((plaintext: string) => Promise<string>)[];
  readonly options: ReencryptOptions<Person>;
  readonly finished: (stored: string) => Promise<boolean>;
  readonly plaintextOf: (stored: string) => Promise<string>;
}

interface Script {
  readonly rows: readonly (0 | 1)[];
  readonly events: readonly {
    readonly kind: 'set' | 'insert' | 'remove' | 'crash';
    readonly at: number;
    readonly format: number;
  }[];
  readonly pageSize: number;
}

const script: fc.Arbitrary<Script> = fc.record({
  rows: fc.array(fc.constantFrom<0 | 1>(0, 1), { minLength: 1, maxLength: 12 }),
  events: fc.array(
    fc.record({
      kind: fc.constantFrom('set', 'set', 'insert', 'remove', 'crash'),
      at: fc.nat({ max: 15 }),
      format: fc.nat({ max: 1 }),
    }),
    { maxLength: 40 },
  ),
  pageSize: fc.integer({ min: 1, max: 5 }),
});

const worlds = [
  ['mode encrypt', toEncrypt, 60],
  ['mode rewrap', toRewrap, 60],
  ['mode rewrap on values from intake', toRewrapIntake, 6],
  ['mode reencrypt', toReencrypt, 60],
] as const;

test.each(worlds)('an interrupted run in %s loses no value that the app wrote', async (_, open, numRuns) => {
  await fc.assert(
    fc.asyncProperty(script, async ({ rows, events, pageSize }) => {
      const world = await open();
      for (const [index, format] of rows.entries()) await setRow(world, index + 1, `first ${index}`, format);
      await convertWhileDisturbed(world, events, pageSize);
      for (const [id, plaintext] of world.newest)
        expect(await world.plaintextOf(world.table.email(id))).toBe(plaintext);
      const last = await endOf(reencrypt(world.client, world.table.store, { ...world.options, pageSize }));
      expect(last).toMatchObject({ finished: true, done: true, seen: world.newest.size });
      for (const [id, plaintext] of world.newest) {
        const stored = world.table.email(id);
        expect(await world.finished(stored)).toBe(true);
        expect(await world.plaintextOf(stored)).toBe(plaintext);
      }
      expect(world.table.rows.size).toBe(world.newest.size);
    }),
    { numRuns },
  );
});

async function convertWhileDisturbed(
  world: World,
  events: Script['events'],
  pageSize: number,
): Promise<void> {
  const { table, client, options } = world;
  const queue = [...events];
  const disturb = async (mayCrash: boolean): Promise<void> => {
    const event = queue.shift();
    if (!event) return;
    const id = event.at + 1;
    if (event.kind === 'crash' && mayCrash) throw new Crash();
    if (event.kind === 'remove') {
      table.remove(id);
      world.newest.delete(id);
    } else if (event.kind === 'insert' || world.newest.has(id)) {
      await setRow(world, id, `set with ${queue.length} left`, event.format);
    }
  };
  let died = false;
  const store = {
    async read(page: Parameters<typeof table.store.read>[0]) {
      if (died) throw new Crash();
      await disturb(true);
      const rows = await table.store.read(page);
      await disturb(true);
      return rows;
    },
    async write(change: Parameters<typeof table.store.write>[0]) {
      if (died) throw new Crash();
      try {
        await disturb(true);
        const written = await table.store.write(change);
        await disturb(true);
        return written;
      } catch (error) {
        died = true;
        throw error;
      }
    },
  };
  let kept: string | undefined;
  for (;;) {
    died = false;
    const resume = kept ? (JSON.parse(kept) as ReencryptProgress<number>) : undefined;
    const clock = simulatedClock();
    try {
      const run = reencrypt(client, store, { ...options, pageSize, resume, clock, maxFailures: 100 });
      for await (const progress of run) {
        if (died) throw new Crash();
        kept = JSON.stringify(progress);
      }
      return;
    } catch (error) {
      if (!(error instanceof Crash)) throw error;
    }
  }
}

async function setRow(world: World, id: number, plaintext: string, format: number): Promise<void> {
  const stored = await world.formats[format]?.(plaintext);
  world.table.set(id, { email: stored });
  world.newest.set(id, plaintext);
}

function worldOf(
  client: EaasClient,
  rest: Pick<World, 'formats' | 'options' | 'finished' | 'plaintextOf'>,
): World {
  return { table: tableOf([]), client, newest: new Map(), ...rest };
}

async function toEncrypt(): Promise<World> {
  const { client } = observedClient();
  const isEnvelope = (stored: string): boolean => formOf(stored).kind === 'envelope';
  return worldOf(client, {
    options: { mode: 'encrypt', to: {} },
    formats: [
      async (plaintext) => plaintext,
      async (plaintext) => (await client.encrypt(plaintext)).ciphertext,
    ],
    finished: async (stored) => isEnvelope(stored),
    plaintextOf: async (stored) => (isEnvelope(stored) ? client.decrypt(stored, { as: 'text' }) : stored),
  });
}

async function toRewrap(): Promise<World> {
  const { client, keyId } = observedClient();
  await client.encrypt('so that a data key is in memory');
  await client.keys.rotate({ key_id: keyId });
  return worldOf(client, {
    options: { mode: 'rewrap' },
    formats: [
      async (plaintext) => (await client.encrypt(plaintext)).ciphertext,
      async (plaintext) => (await client.encrypt(plaintext, { scope: 'later' })).ciphertext,
    ],
    finished: async (stored) => versionOf(stored) === 2,
    plaintextOf: (stored) => client.decrypt(stored, { as: 'text' }),
  });
}

async function toRewrapIntake(): Promise<World> {
  const { client, service } = observedClient();
  const { key_id: keyId } = service.createKey('forms', { intake: true });
  const { intakePublicKey } = await client.publicKey(keyId);
  const intake = createIntake({ publicKey: intakePublicKey ?? '' });
  return worldOf(client, {
    options: { mode: 'rewrap' },
    formats: [
      async (plaintext) => (await intake.encrypt(plaintext)).ciphertext,
      async (plaintext) => (await client.encrypt(plaintext, { keyId })).ciphertext,
    ],
    finished: async (stored) => {
      const form = formOf(stored);
      return 'header' in form && !isIntake(form.header);
    },
    plaintextOf: (stored) => client.decrypt(stored, { keyId, as: 'text' }),
  });
}

async function toReencrypt(): Promise<World> {
  const { client } = observedClient();
  const before = { context: { table: 'users' } };
  const after = { context: { table: 'people' } };
  const opens = (stored: string, context: object): Promise<string | undefined> =>
    client.decrypt(stored, { ...context, as: 'text' }).catch(() => undefined);
  return worldOf(client, {
    options: { mode: 'reencrypt', from: before, to: after },
    formats: [before, after].map((context) => async (plaintext) => {
      const { ciphertext } = await client.encrypt(plaintext, context);
      return ciphertext;
    }),
    finished: async (stored) => (await opens(stored, after)) !== undefined,
    plaintextOf: async (stored) => (await opens(stored, after)) ?? (await opens(stored, before)) ?? 'lost',
  });
}

function versionOf(stored: string): number | undefined {
  const form = formOf(stored);
  return 'header' in form ? form.header.keyVersion : undefined;
}
