import { verifyTenant } from '@eaas/service';
import { settleDueKeys } from '../../packages/server/src/jobs/due-keys.ts';
import { foldTallies } from '../../packages/server/src/jobs/fold-tallies.ts';
import { purge } from '../../packages/server/src/jobs/purge.ts';
import { verifyNightly } from '../../packages/server/src/jobs/verify-nightly.ts';
import { alone } from '@eaas/test-kit/alone';
import { dek } from '@eaas/test-kit/world';
import { type Benchmark, type Comparison, type Note, resultOf } from './compare.ts';
import { round } from './figures.ts';
import { memoryOfServer, requireValid, timed, verifyNewEntries } from './growth-costs.ts';
import { growPurgeable, type Place } from './growth-data.ts';
import { openPlace } from './growth-place.ts';

const [small, large] = [10, Number(process.env['GROWTH'] ?? 1_000_000)];
const dayLength = 24 * 60 * 60 * 1_000;
const purged = 20_000;

export const benchmark: Benchmark = {
  name: 'growth',
  about: `calls on PostgreSQL with ${large.toLocaleString('en')} keys, key versions, entries and tenants, compared with calls on a database with ${small} of each`,
  async comparisons(defer) {
    const many = await openPlace(defer, large, process.env['GROWTH_DIRECTORY']);
    // Each run creates the small database again, because a run adds thousands of entries.
    const few = await openPlace(defer, small);
    const each = (name: string, run: (place: Place) => Promise<unknown>): Comparison => ({
      ours: { name, run: () => run(many) },
      reference: { name: small.toString(), run: () => run(few) },
      target: 0.5,
    });
    const once = (name: string, run: (place: Place) => Promise<number>): Comparison => {
      let costs: Note = {};
      return {
        ...each(name, run),
        elsewhere: async () => {
          const [ours, reference] = [await run(many), await run(few)];
          costs = { [`at ${large.toLocaleString('en')}`]: round(ours), [`at ${small}`]: round(reference) };
          return resultOf([{ ours: 1_000 / ours, reference: 1_000 / reference }]);
        },
        note: () => costs,
      };
    };
    return [
      each('GET /v1/keys/:id', ({ manyKeys: { api, keyId } }) =>
        api('GET /v1/keys/:key_id', { key_id: keyId }),
      ),
      each('… with 10,000 versions', ({ manyVersions }) => newestKey(manyVersions)),
      each('wrap', ({ manyKeys: { api, keyId } }) =>
        api('POST /v1/keys/:key_id/wrap', { key_id: keyId, dek }),
      ),
      each('unwrap', ({ manyKeys: { api, keyId, wrapped } }) =>
        api('POST /v1/keys/:key_id/unwrap', { key_id: keyId, wrapped_key: wrapped }),
      ),
      each('forget the tenant, and wrap', ({ service, manyKeys: { api, tenantId, keyId } }) => {
        service.ledger.forget(tenantId);
        return api('POST /v1/keys/:key_id/wrap', { key_id: keyId, dek });
      }),
      ...lists(each),
      ...jobs(each),
      once('verify, ms per entry', async ({ service, manyEntries: { tenantId } }) =>
        timed(async () => {
          const { valid, checked } = await verifyTenant(service, tenantId);
          requireValid(valid);
          return checked;
        }),
      ),
      once('verify, ms per key version', async ({ service, manyVersions: { tenantId }, size }) =>
        timed(async () => {
          requireValid((await verifyTenant(service, tenantId)).valid);
          return size;
        }),
      ),
      once('nightly verify, ms per entry', verifyNewEntries),
      once('memory of a server, MB', memoryOfServer),
      once('purge, ms per entry', async (place) => {
        await growPurgeable(place, purged);
        return timed(async () => {
          await purge(place.service, 60, alone());
          return purged;
        });
      }),
    ];
  },
};

type Each = (name: string, run: (place: Place) => Promise<unknown>) => Comparison;

function lists(each: Each): Comparison[] {
  // Requests five entries, because the small database has only five `key.wrap` entries after `offset=half`.
  const audit = (name: string, query: (place: Place) => object) =>
    each(`GET /v1/audit?${name}`, (place) =>
      place.manyEntries.api('GET /v1/audit', { limit: 5, ...query(place) }),
    );
  const keys = (name: string, query: object) =>
    each(`GET /v1/keys?${name}`, ({ manyKeys: { api } }) => api('GET /v1/keys', { limit: 1, ...query }));
  const keyOf = ({ manyEntries: { keyId } }: Place) => keyId;
  const ago = (milliseconds: number) => new Date(Date.now() - milliseconds).toISOString();
  return [
    audit('', () => ({})),
    audit('offset=half', ({ size }) => ({ offset: size / 2 })),
    audit('action', () => ({ action: 'key.wrap' })),
    audit('action, offset=half', ({ size }) => ({ action: 'key.wrap', offset: size / 2 })),
    audit('key_id', (place) => ({ key_id: keyOf(place) })),
    audit('key_id, action', (place) => ({ key_id: keyOf(place), action: 'key.wrap' })),
    audit('action, date_from', () => ({ action: 'key.wrap', date_from: ago(dayLength) })),
    keys('', {}),
    keys('status', { status: 'disabled' }),
    keys('name', { name: 'key' }),
  ];
}

function jobs(each: Each): Comparison[] {
  const job = (name: string, run: (place: Place) => Promise<unknown>) =>
    each(`job ${name}, nothing due`, run);
  return [
    job('due_keys', ({ service }) => settleDueKeys(service, alone())),
    job('fold_tallies', ({ service }) => foldTallies(service, alone())),
    job('purge', ({ service }) => purge(service, 60, alone())),
    job('verify', ({ service }) => verifyNightly(service, alone(), () => {})),
  ];
}

async function newestKey({ api }: Place['manyVersions']): Promise<unknown> {
  const { keys } = await api('GET /v1/keys', { limit: 1 });
  return api('GET /v1/keys/:key_id', { key_id: keys[0]?.key_id ?? '' });
}
