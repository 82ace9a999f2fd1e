import {
  type ChainHead,
  type Finding,
  findTenant,
  forEach,
  type Lease,
  macHolds,
  nightKey,
  openSecrets,
  readClock,
  Refusal,
  seal,
  type Service,
} from '@eaas/server/internal';
import { verifyNight } from './verify-night.ts';
import {
  chainsInPages,
  findLastNight,
  findMarker,
  findNight,
  finishNight,
  markerTable,
  type NightRow,
  nightTable,
  writeMarker,
} from './verifications.ts';

const startsAtHour = 3; // UTC
const dayLength = 24 * 60 * 60 * 1_000;

type OnBroken = (tenantId: string, findings: readonly Finding[]) => void;

export async function nightlyVerify(service: Service, lease: Lease, onBroken: OnBroken): Promise<void> {
  const { background, clock, tenants } = service;
  await readClock(service);
  const taken_at = clock.now();
  const tonight = Math.floor(taken_at / dayLength);
  const day = new Date(taken_at).toISOString().slice(0, 10);
  if (taken_at < tonight * dayLength + startsAtHour * 60 * 60 * 1_000) return;
  const row = await background.run((sql) => findNight(sql, day));
  if (row && isAuthenticNight(service, row)) return;
  let broken = 0;
  const chains = chainsInPages((work) => background.run(work, 30_000));
  await forEach(chains, lease.signal, async (tenantId) => {
    if (!(await isValidTonight(service, lease, { tenantId, tonight }, onBroken))) broken++;
  });
  if (lease.signal.aborted) return;
  const finished = { day, taken_at, finished_at: clock.now(), broken };
  const [current] = tenants.roots;
  await background.transaction(async (tx) => {
    await lease.hold(tx);
    await finishNight(tx, seal({ rowMac: nightKey(current) }, nightTable, finished));
  }, 30_000);
}

export async function lastVerification(service: Service): Promise<NightRow | undefined> {
  const row = await service.background.run(findLastNight);
  return row && isAuthenticNight(service, row) ? row : undefined;
}

function isAuthenticNight({ tenants }: Service, row: NightRow): boolean {
  return tenants.roots.some((root) => macHolds({ rowMac: nightKey(root) }, nightTable, row));
}

interface Which {
  readonly tenantId: string;
  readonly tonight: number;
}

async function isValidTonight(
  service: Service,
  { signal, hold }: Lease,
  { tenantId, tonight }: Which,
  onBroken: OnBroken,
): Promise<boolean> {
  const { background, clock, tenants } = service;
  const before = await resultOf(service, tenantId, tonight);
  if (before !== undefined) return before;
  const write = async ({ id, hash }: ChainHead, night: number, errors: readonly Finding[]) => {
    const findings = JSON.stringify(errors);
    const marker = { tenant_id: tenantId, id, hash: Buffer.from(hash), valid: errors.length === 0, findings };
    const content = { ...marker, finished_at: clock.now(), night };
    await background.transaction(async (tx) => {
      await hold(tx);
      const tenant = await findTenant(tx, tenantId);
      const secrets = tenant && openSecrets(tenants.roots, tenant);
      await writeMarker(
        tx,
        secrets ? seal(secrets, markerTable, content) : { ...content, mac: new Uint8Array() },
      );
    });
  };
  const found = await verifyNight(service, tenantId, {
    tonight,
    shouldStop: () => signal.aborted,
    // While the verification runs, the stored date of the last verification is that of the previous night. After an
    // interruption, the verification therefore runs again.
    onProgress: (verified) => write(verified, tonight - 1, []),
  }).catch(unlessDestroyed);
  if (!found?.isComplete) return true;
  const { first: errors } = found.findings;
  if (errors.length > 0) onBroken(tenantId, errors);
  await write(found.head, tonight, errors);
  return errors.length === 0;
}

/** Returns undefined if the tenant was not yet verified tonight. */
async function resultOf({ background, tenants }: Service, tenantId: string, tonight: number) {
  const marker = await background.run((sql) => findMarker(sql, tenantId));
  if (marker?.night !== tonight) return undefined;
  const tenant = await background.run((sql) => findTenant(sql, tenantId));
  const secrets = tenant && openSecrets(tenants.roots, tenant);
  return secrets && macHolds(secrets, markerTable, marker) ? marker.valid : undefined;
}

function unlessDestroyed(error: unknown): undefined {
  if (error instanceof Refusal && error.code === 'not_found') return;
  throw error;
}
