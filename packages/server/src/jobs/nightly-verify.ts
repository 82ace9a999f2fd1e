import type { Finding } from '../operations/verify/report.ts';
import { verifyChain } from '../operations/verify/verify-chain.ts';
import type { Service } from '../service.ts';
import { readClock } from '../state/clock.ts';
import { openSecrets, seal } from '../state/integrity.ts';
import { findTenant } from '../store/tenants.ts';
import {
  chainsToVerify,
  finishVerification,
  isVerified,
  markerTable,
  writeMarker,
} from '../store/verifications.ts';
import { forEach } from './each.ts';
import type { Lease } from './lease.ts';

const startsAtHour = 3; // UTC

type OnBroken = (tenantId: string, findings: readonly Finding[]) => void;

export async function nightlyVerify(service: Service, lease: Lease, onBroken: OnBroken): Promise<void> {
  const { background, clock } = service;
  await readClock(service);
  const startedAt = clock.now();
  const day = new Date(startedAt).toISOString().slice(0, 10);
  const night = Date.parse(day) + startsAtHour * 60 * 60 * 1_000;
  if (startedAt < night || (await background.run((sql) => isVerified(sql, day)))) return;
  const chains = await background.run((sql) => chainsToVerify(sql, night), 30_000);
  await forEach(chains, lease.signal, (tenantId) => verifyTenant(service, lease, tenantId, onBroken));
  if (lease.signal.aborted) return;
  await background.transaction(async (tx) => {
    await lease.hold(tx);
    await finishVerification(tx, day, startedAt, clock.now());
  }, 30_000);
}

async function verifyTenant(service: Service, { signal, hold }: Lease, tenantId: string, onBroken: OnBroken) {
  const { background, clock, tenants } = service;
  const found = await verifyChain(service, tenantId, { enough: () => signal.aborted });
  const { valid, errors } = found;
  if (valid === null) return;
  if (!valid) onBroken(tenantId, errors);
  const { id } = found.head;
  const hash = Buffer.from(found.head.hash, 'hex');
  const findings = JSON.stringify(errors);
  const marker = { tenant_id: tenantId, id, hash, valid, findings, finished_at: clock.now() };
  await background.transaction(async (tx) => {
    await hold(tx);
    const tenant = await findTenant(tx, tenantId);
    const secrets = tenant && openSecrets(tenants.roots, tenant);
    const row = secrets ? seal(secrets, markerTable, marker) : { ...marker, mac: new Uint8Array() };
    await writeMarker(tx, row);
  });
}
