import { readFile } from 'node:fs/promises';
import { countUsage } from '../../packages/server/src/jobs/count-usage.ts';
import { settleDueKeys } from '../../packages/server/src/jobs/due-keys.ts';
import { purge } from '../../packages/server/src/jobs/purge.ts';
import { repairDirectories } from '../../packages/server/src/jobs/repair-directories.ts';
import { nightlyVerify } from '../../packages/server/src/jobs/nightly-verify.ts';
import { verifyChain } from '../../packages/server/src/operations/verify/verify-chain.ts';
import { verifyNight } from '../../packages/server/src/operations/verify/verify-night.ts';
import { seal } from '../../packages/server/src/state/integrity.ts';
import { markerTable, writeMarker } from '../../packages/server/src/store/verifications.ts';
import { call } from '../faults/client.ts';
import { startReplica } from '../faults/place.ts';
import { alone } from '../setup/alone.ts';
import { dek } from '../setup/world.ts';
import type { Benchmark, Comparison, Result } from './compare.ts';
import {
  appendEntries,
  fillPlace,
  finishTonight,
  growPurgeable,
  type Place,
  stateOf,
} from './growth-data.ts';

const [small, large] = [10, Number(process.env['GROWTH'] ?? 1_000_000)];
const dayLength = 24 * 60 * 60 * 1_000;
const purged = 20_000;
const newEntries = 10_000;

export const benchmark: Benchmark = {
  name: 'growth',
  about: `the cost at ${large.toLocaleString('en')} keys, key versions, entries and tenants, compared with ${small}; held if at most twice`,
  async comparisons(defer) {
    const [few, many] = [await fillPlace(defer, small), await fillPlace(defer, large)];
    for (const place of [few, many]) {
      await countUsage(place.service, alone());
      await finishTonight(place);
    }
    const each = (name: string, run: (place: Place) => Promise<unknown>): Comparison => ({
      ours: { name, run: () => run(many) },
      reference: { name: small.toString(), run: () => run(few) },
      target: 0.5,
    });
    const once = (name: string, run: (place: Place) => Promise<number>): Comparison => {
      let costs = '';
      return {
        ...each(name, run),
        elsewhere: async () => {
          const [ours, reference] = [await run(many), await run(few)];
          costs = `cost: ${ours.toFixed(4)} and ${reference.toFixed(4)}`;
          return perSecond(ours, reference);
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
      each('state reload and wrap', ({ service, manyKeys: { api, tenantId, keyId } }) => {
        service.tenants.forget(tenantId);
        return api('POST /v1/keys/:key_id/wrap', { key_id: keyId, dek });
      }),
      ...lists(each),
      ...jobs(each),
      once('verify, ms per entry', async ({ service, manyEntries: { tenantId } }) =>
        timed(async () => {
          const { valid, checked } = await verifyChain(service, tenantId);
          requireValid(valid);
          return checked;
        }),
      ),
      once('verify, ms per key version', async ({ service, manyVersions: { tenantId }, size }) =>
        timed(async () => {
          requireValid((await verifyChain(service, tenantId)).valid);
          return size;
        }),
      ),
      once('nightly verify, ms per entry', verifyNewEntries),
      once('memory of a server, MB', memoryOf),
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
  const audit = (name: string, query: (place: Place) => object) =>
    each(`GET /v1/audit?${name}`, (place) => place.manyEntries.api('GET /v1/audit', query(place)));
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
    job('count_usage', ({ service }) => countUsage(service, alone())),
    job('directories', ({ service }) => repairDirectories(service, alone())),
    job('purge', ({ service }) => purge(service, 60, alone())),
    job('verify', ({ service }) => nightlyVerify(service, alone(), () => {})),
  ];
}

async function newestKey({ api }: Place['manyVersions']): Promise<unknown> {
  const { keys } = await api('GET /v1/keys', { limit: 1 });
  return api('GET /v1/keys/:key_id', { key_id: keys[0]?.key_id ?? '' });
}

async function verifyNewEntries({ service, manyEntries }: Place): Promise<number> {
  const { tenantId } = manyEntries;
  const { secrets } = await stateOf(service, tenantId);
  const tonight = Math.floor(Date.now() / dayLength);
  const { head } = await verifyNight(service, tenantId, {
    tonight,
    shouldStop: () => true,
    onProgress: async () => {},
  });
  const marker = {
    id: head.id,
    hash: head.hash,
    valid: true,
    findings: '[]',
    finished_at: 0,
    night: tonight,
  };
  const row = seal(secrets, markerTable, { tenant_id: tenantId, ...marker });
  await service.background.transaction((tx) => writeMarker(tx, row));
  await appendEntries(service, manyEntries, newEntries);
  return timed(async () => {
    const options = { tonight: tonight + 1, shouldStop: () => false, onProgress: async () => {} };
    const { findings, checked } = await verifyNight(service, tenantId, options);
    requireValid(findings.count === 0);
    return checked;
  });
}

async function memoryOf({ operator: { env }, manyKeys: { token, keyId } }: Place): Promise<number> {
  const replica = await startReplica(env);
  try {
    for (let nth = 0; nth < 500; nth++) {
      await call(replica, token, 'POST', `/v1/keys/${keyId}/wrap`, { dek });
      if (nth % 50 === 0) await call(replica, token, 'GET', '/v1/keys?limit=1');
    }
    const status = await readFile(`/proc/${replica.pid}/status`, 'utf8');
    return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) / 1024;
  } finally {
    await replica.kill();
  }
}

async function timed(work: () => Promise<number>): Promise<number> {
  const startedAt = performance.now();
  const units = await work();
  return (performance.now() - startedAt) / units;
}

function perSecond(ours: number, reference: number): Result {
  const ratio = reference / ours;
  return {
    ours: 1_000 / ours,
    reference: 1_000 / reference,
    ratio: { median: ratio, min: ratio, max: ratio },
  };
}

function requireValid(valid: boolean | null): void {
  if (valid !== true) throw new Error(`the audit log must be valid (got ${valid})`);
}
