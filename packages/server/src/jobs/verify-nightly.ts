// Once a night, one of the replicas verifies the new entries of every audit log, and a thirtieth of the tenants whole.
import { fromHex } from '@eaas/protocol/internal';
import * as core from '@eaas/service';
import type { Service } from '../app/service.ts';
import { listChains } from '../operator/tenants.ts';
import { verifyLog } from '../operator/verify.ts';
import { rootRowKey, type RowKey, rowUnderAny } from '../postgres/root-macs.ts';
import { noId, type Verified, verifications } from '../postgres/tables.ts';
import { readClock } from './clock.ts';
import { forEach, type Lease } from './schedule.ts';

const nights = 30;
const dayLength = 24 * 60 * 60 * 1_000;
const startsAt = 3 * 60 * 60 * 1_000; // UTC
/** Stands for all tenants together. */
const everyone = noId;

/** What concerns all tenants has a key of its own for the MAC. */
const nightKey = (root: core.RootKey): RowKey => rootRowKey(root, 'night-mac');

/** What a night tells of tenants. */
export interface NightListener {
  broken(tenantId: string, findings: core.Verification['errors']): void;
  /** A tenant's log says more than a verification keeps, so that contradictions can have been missed. */
  incomplete(tenantId: string): void;
}

/** A night ends when the next one starts. */
export const nightAt = (time: number): number => Math.floor((time - startsAt) / dayLength);

/** Verifies unless it was done tonight. Continues what was interrupted, and begins with a log that failed again. */
export async function verifyNightly(service: Service, lease: Lease, listener: NightListener): Promise<void> {
  const { background, ledger } = service;
  await readClock(service);
  const night = nightAt(ledger.clock.now());
  if ((await lastNight(service))?.night === night) return;
  let broken = 0;
  const chains = await background.run(listChains, 30_000);
  await forEach(chains, lease.signal, async ({ tenant_id: tenantId }) => {
    if (!(await isValid(service, lease, tenantId, night, listener))) broken++;
  });
  if (!lease.signal.aborted) await recordNight(service, lease, night, broken);
}

/** Records that all tenants were verified. */
export async function recordNight(
  service: Service,
  lease: Lease,
  night: number,
  broken: number,
): Promise<void> {
  const { ledger, roots } = service;
  const finished = { tenant_id: everyone, id: ledger.clock.now(), hash: new Uint8Array(), broken, night };
  await write(service, lease, nightKey(roots[0]), finished);
}

/**
 * When all tenants were last verified, and how many were broken, unless somebody else wrote it. What is in the future remains
 * from before the clock of the database was set back.
 */
export async function lastNight(service: Service) {
  const { roots, ledger } = service;
  const row = await find(service, everyone, roots.map(nightKey));
  return row && row.night * dayLength <= ledger.clock.now() ? { ...row, finished_at: row.id } : undefined;
}

async function find(
  { store }: Service,
  tenantId: string,
  keys: readonly RowKey[],
): Promise<Verified | undefined> {
  const ref = core.refTo(verifications, tenantId);
  const stored = (await store.read(tenantId, [ref])).rows.get(ref);
  if (!stored) return undefined;
  return rowUnderAny(keys, verifications, stored);
}

async function write({ background }: Service, { hold }: Lease, key: RowKey, night: Verified) {
  const row = core.withMac(key, verifications, night);
  await background.transaction(async (tx) => {
    await hold(tx);
    await tx`insert into eaas.verifications ${tx({ ...row })} on conflict (tenant_id) do update
      set id = excluded.id, hash = excluded.hash, broken = excluded.broken, night = excluded.night, mac = excluded.mac`;
  });
}

async function isValid(
  service: Service,
  lease: Lease,
  tenantId: string,
  tonight: number,
  listener: NightListener,
): Promise<boolean> {
  const { store, roots } = service;
  const ref = core.refTo(core.tenants, tenantId);
  const tenant = (await store.read(tenantId, [ref])).rows.get(ref);
  const secrets = tenant && core.openTenant(roots, tenant)?.secrets;
  const known = secrets && (await find(service, tenantId, [secrets]));
  if (known?.night === tonight) return known.broken === 0;
  const onlyNew = known?.broken === 0 && !isTurn(tenantId, known.night, tonight);
  const options = {
    ...(known && { known }),
    // The rows are compared when the whole log is.
    ...(onlyNew && { from_id: known.id + 1, mostRows: 0 }),
    timeLeft: () => (lease.signal.aborted ? 0 : Infinity),
    onForgotten: () => listener.incomplete(tenantId),
  };
  const found = await verifyLog(service, tenantId, options).catch(unlessDestroyed);
  if (!found?.complete) return true;
  const { errors, head } = found;
  if (errors.length > 0) listener.broken(tenantId, errors);
  const now = { tenant_id: tenantId, id: head.id, hash: fromHex(head.hash), night: tonight };
  if (secrets) await write(service, lease, secrets, { ...now, broken: Math.min(errors.length, 1) });
  return errors.length === 0;
}

/**
 * Whether the tenant is verified whole: one of 30 nights is its turn, by its id, which nobody can postpone. A missed turn is
 * made up for in the next night.
 */
export function isTurn(tenantId: string, since: number, tonight: number): boolean {
  const turns = (night: number): number =>
    Math.floor((night + Number.parseInt(tenantId.slice(0, 8), 16)) / nights);
  return since > tonight || turns(tonight) > turns(since);
}

function unlessDestroyed(error: unknown): undefined {
  if (error instanceof core.Refusal && error.code === 'not_found') return;
  throw error;
}
