// Once a night, one of the replicas verifies the new entries of every audit log, and a thirtieth of the logs whole.
import type { Service } from '../app/service.ts';
import { Refusal } from '../base/refusal.ts';
import { nightKey } from '../crypto/key-hierarchy.ts';
import { type Verification, verifyChain } from '../operations/verify/verify-chain.ts';
import { readClock } from '../state/clock.ts';
import { macHolds, openSecrets, seal } from '../state/integrity.ts';
import { findTenant, listChains } from '../store/tenants.ts';
import {
  findLastNight,
  findMarker,
  markerTable,
  type NightRow,
  nightTable,
  writeMarker,
  writeNight,
} from '../store/verifications.ts';
import { forEach, type Lease } from './schedule.ts';

export const nights = 30;
const dayLength = 24 * 60 * 60 * 1_000;
const startsAt = 3 * 60 * 60 * 1_000; // UTC

type OnBroken = (tenantId: string, findings: Verification['errors']) => void;

/** Verifies unless it was done tonight. Continues what was interrupted, and begins with a log that failed again. */
export async function verifyNightly(service: Service, lease: Lease, onBroken: OnBroken): Promise<void> {
  const { background, clock, tenants } = service;
  await readClock(service);
  const now = clock.now();
  const day = new Date(now).toISOString().slice(0, 10);
  if (now % dayLength < startsAt || (await lastNight(service))?.day === day) return;
  let broken = 0;
  const chains = await background.run(listChains, 30_000);
  await forEach(chains, lease.signal, async ({ tenant_id: tenantId }) => {
    if (!(await isValid(service, lease, tenantId, Math.floor(now / dayLength), onBroken))) broken++;
  });
  if (lease.signal.aborted) return;
  const night = seal({ rowMac: nightKey(tenants.roots[0]) }, nightTable, {
    day,
    finished_at: clock.now(),
    broken,
  });
  await background.transaction(async (tx) => {
    await lease.hold(tx);
    await writeNight(tx, night);
  }, 30_000);
}

/** The result of the last night, unless somebody else wrote it. */
export async function lastNight({ background, tenants }: Service): Promise<NightRow | undefined> {
  const row = await background.run(findLastNight);
  const isOurs = row && tenants.roots.some((root) => macHolds({ rowMac: nightKey(root) }, nightTable, row));
  return isOurs ? row : undefined;
}

async function isValid(
  service: Service,
  { signal, hold }: Lease,
  tenantId: string,
  tonight: number,
  onBroken: OnBroken,
): Promise<boolean> {
  const { background, tenants } = service;
  const [tenant, marker] = await background.run((sql) =>
    Promise.all([findTenant(sql, tenantId), findMarker(sql, tenantId)]),
  );
  const secrets = tenant && openSecrets(tenants.roots, tenant);
  const known = secrets && marker && macHolds(secrets, markerTable, marker) ? marker : undefined;
  if (known?.night === tonight) return known.valid;
  const onlyNew = known?.valid === true && !isTurn(tenantId, known.night, tonight);
  const options = { known, onlyNew, shouldStop: () => signal.aborted };
  const found = await verifyChain(service, tenantId, options).catch(unlessDestroyed);
  if (!found?.complete) return true;
  const valid = found.errors.length === 0;
  if (!valid) onBroken(tenantId, found.errors);
  if (!secrets) return valid;
  const hash = Buffer.from(found.head.hash, 'hex');
  const content = { tenant_id: tenantId, id: found.head.id, hash, valid, night: tonight };
  await background.transaction(async (tx) => {
    await hold(tx);
    if (await findTenant(tx, tenantId)) await writeMarker(tx, seal(secrets, markerTable, content));
  });
  return valid;
}

/**
 * Whether the log is verified whole: one of 30 nights is its turn, by the tenant's id, which nobody can postpone. A missed
 * turn is made up for in the next night.
 */
export function isTurn(tenantId: string, since: number, tonight: number): boolean {
  const turns = (night: number): number =>
    Math.floor((night + Number.parseInt(tenantId.slice(0, 8), 16)) / nights);
  return since > tonight || turns(tonight) > turns(since);
}

function unlessDestroyed(error: unknown): undefined {
  if (error instanceof Refusal && error.code === 'not_found') return;
  throw error;
}
