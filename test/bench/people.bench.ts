import { EaasClient } from '@eaas/sdk';
import { call, type Place } from '@eaas/test-kit/faults/client';
import { newKey } from '@eaas/test-kit/faults/place';
import { Burst, openLater, postRequest } from './burst.ts';
import type { Benchmark, Comparison, Contender, Defer } from './compare.ts';
import { named } from './in-turns.ts';
import { connectDeferred, openOperator, startDeferred } from './open-operator.ts';

const [small, large] = [1_000, Number(process.env['PEOPLE'] ?? 1_000_000)];
const perBatch = 100;
const listed = 50;
const mostBytes = 450;
const plainEntries = 10_000;
const dek = Buffer.alloc(32, 7).toString('base64');

interface Scene {
  readonly place: Place;
  readonly token: string;
  readonly keyId: string;
  readonly wrapped: readonly string[];
  readonly defer: Defer;
}

const nameOf = (nth: number) => `person ${nth}`;
const inOrder = (count: number) => {
  let last = 0;
  return () => last++ % count;
};
const anyOf = (count: number) => () => Math.floor(Math.random() * count);

export const benchmark: Benchmark = {
  name: 'people',
  about: `wraps and unwraps for subjects over HTTP, compared with plain ones that have a context each, and a list of ${listed} people in the SDK. The large tenant has ${large.toLocaleString('en')} subjects`,
  async comparisons(defer) {
    const { env, newTenant, postgres } = await openOperator(defer);
    const place = await startDeferred(defer, env);
    const { token } = await newTenant();
    const keyId = await newKey(place, token);
    const sql = connectDeferred(defer, postgres);
    const plain = await bytesOfPlain({ place, token, keyId }, sql);
    const wrapped = await wrapForAll({ place, token, keyId });
    await sql`vacuum analyze eaas.subjects`;
    const [size] = await sql<{ bytes: number }[]>`
      select (pg_total_relation_size('eaas.subjects') / count(*))::int as bytes from eaas.subjects`;
    const scene = { place, token, keyId, wrapped, defer };
    const bytes = [
      bytesOf(
        ['bytes that a subject may need', mostBytes],
        ['bytes per subject, with indexes', size?.bytes ?? 0],
      ),
      bytesOf(
        ['bytes per plain entry, without the indexes of people', plain.entries - plain.people],
        ['bytes per plain entry, with them', plain.entries],
      ),
    ];
    return [...wraps(scene), ...unwraps(scene), ...bytes, ...(await lists(scene))];
  },
};

type Wrapper = Pick<Scene, 'place' | 'token' | 'keyId'>;

/** What entries without a subject add to the database, and to the indexes that find people. */
async function bytesOfPlain({ place, token, keyId }: Wrapper, sql: ReturnType<typeof connectDeferred>) {
  const sizes = async () => {
    const [row] = await sql<{ entries: number; people: number }[]>`
      select pg_total_relation_size('eaas.audit_entries')::int as entries,
        (pg_relation_size('eaas.audit_entries_by_subject') + pg_relation_size('eaas.audit_entries_by_user'))::int as people`;
    return row ?? { entries: 0, people: 0 };
  };
  const before = await sizes();
  const items = Array.from({ length: 1_000 }, (_, nth) => ({
    key_id: keyId,
    dek,
    context: { patient: nameOf(nth) },
  }));
  for (let nth = 0; nth < plainEntries; nth += items.length)
    await call(place, token, 'POST', '/v1/batch/wrap', { items });
  const after = await sizes();
  const added = (name: 'entries' | 'people') => (after[name] - before[name]) / plainEntries;
  return { entries: added('entries'), people: added('people') };
}

async function wrapForAll({ place, token, keyId }: Wrapper) {
  const all: string[] = [];
  for (let first = 0; first < large; first += 1_000) {
    const count = Math.min(1_000, large - first);
    const items = Array.from({ length: count }, (_, nth) => ({
      key_id: keyId,
      dek,
      subject: nameOf(first + nth),
    }));
    const answer = await call<{ results: { wrapped_key: string }[] }>(
      place,
      token,
      'POST',
      '/v1/batch/wrap',
      { items },
    );
    for (const { wrapped_key } of answer.results) all.push(wrapped_key);
  }
  return all;
}

/** A contender whose requests differ, on some connections. */
function contender(
  { place, token, defer }: Scene,
  { name, path, body, items = 1, connections = 8 }: Calls,
): Contender {
  const headers = { Authorization: `Bearer ${token}` };
  const next = () => postRequest(path, headers, body());
  const run = openLater(() => Burst.open(place.port ?? 0, next, connections), defer);
  const requests = connections * 4;
  return { name, size: requests * items, run: () => run(requests) };
}

interface Calls {
  readonly name: string;
  readonly path: string;
  readonly body: () => object;
  readonly items?: number;
  readonly connections?: number;
}

function wraps(scene: Scene): Comparison[] {
  const { keyId: key_id } = scene;
  const next = inOrder(small);
  let newcomers = 0;
  const batchOf = (name: string, more: () => object) =>
    contender(scene, {
      name: `${name}, batches of ${perBatch}`,
      path: '/v1/batch/wrap',
      body: () => ({ items: Array.from({ length: perBatch }, () => ({ key_id, dek, ...more() })) }),
      items: perBatch,
    });
  const single = (name: string, more: () => object) =>
    contender(scene, {
      name,
      path: `/v1/keys/${key_id}/wrap`,
      body: () => ({ dek, ...more() }),
      connections: 64,
    });
  const context = () => ({ context: { patient: nameOf(next()) } });
  const known = () => ({ subject: nameOf(next()) });
  const fresh = () => ({ subject: `new ${newcomers++}` });
  return [
    {
      ours: single('wraps for known subjects', known),
      reference: single('plain wraps, a context each', context),
      target: 0.85,
    },
    {
      ours: batchOf('wraps for known subjects', known),
      reference: batchOf('plain wraps, a context each', context),
      target: 0.85,
    },
    {
      ours: batchOf('wraps for new subjects', fresh),
      reference: batchOf('plain wraps, a context each', context),
      target: 1 / 2.5,
    },
  ];
}

/** On one connection, so that the ratio of the rates is that of the latencies. */
function unwraps(scene: Scene): Comparison[] {
  const { keyId, wrapped } = scene;
  const unwrap = (name: string, pick: () => number): Contender =>
    contender(scene, {
      name,
      path: `/v1/keys/${keyId}/unwrap`,
      body: () => {
        const nth = pick();
        return { wrapped_key: wrapped[nth], subject: nameOf(nth) };
      },
      connections: 1,
    });
  const reference = unwrap(`unwraps for any of ${small.toLocaleString('en')} subjects`, anyOf(small));
  return [
    {
      ours: unwrap(`unwraps for any of ${large.toLocaleString('en')} subjects`, anyOf(large)),
      reference,
      target: 1 / 1.6,
    },
    {
      // Other people than those of the reference, so that both sets have their places in memory.
      ours: unwrap(
        `unwraps for the same ${small.toLocaleString('en')} of them`,
        () => large - 1 - anyOf(small)(),
      ),
      reference,
      target: 1 / 1.1,
    },
  ];
}

type Bytes = readonly [name: string, bytes: number];

function bytesOf([allowed, ours]: Bytes, [measured, reference]: Bytes): Comparison {
  const ratio = ours / reference;
  return {
    ...named(allowed, measured),
    target: 1,
    elsewhere: () =>
      Promise.resolve({
        ours,
        reference,
        ratio: { median: ratio, min: ratio, max: ratio },
      }),
  };
}

async function lists({ place, token, keyId, defer }: Scene): Promise<Comparison[]> {
  const options = { baseUrl: `http://127.0.0.1:${place.port}`, apiKey: token, keyId };
  const writer = new EaasClient(options);
  const warm = new EaasClient(options);
  defer(() => Promise.all([writer.close(), warm.close()]));
  const seal = async (subjectOf: (nth: number) => string | undefined) => {
    const rows = Array.from({ length: listed }, (_, nth) => ({
      value: `a value ${nth}`,
      subject: subjectOf(nth),
    }));
    const sealed = await writer.encryptMany(rows);
    return sealed.map((result, nth) => {
      if (!result.ok) throw result.error;
      return { ciphertext: result.value.ciphertext, subject: subjectOf(nth) };
    });
  };
  const ofPeople = await seal(nameOf);
  const plain = await seal(() => undefined);
  const open = async (client: EaasClient, list: typeof plain) => {
    const results = await client.decryptMany(list, { as: 'text' });
    if (results.some(({ ok }) => !ok)) throw new Error('each value of the list must open (got a refusal)');
  };
  const cold = async (list: typeof plain) => {
    const client = new EaasClient(options);
    await open(client, list);
    await client.close();
  };
  const title = (what: string) => `list of ${listed} rows, ${what}`;
  return [
    {
      ours: { name: title('a person each, cold'), run: () => cold(ofPeople) },
      reference: { name: title('one data key, cold'), run: () => cold(plain) },
      target: 1 / 2,
    },
    {
      ours: { name: title('a person each, warm'), run: () => open(warm, ofPeople) },
      reference: { name: title('one data key, warm'), run: () => open(warm, plain) },
      target: 1 / 1.05,
    },
  ];
}
