import { isClosed, listChains, listHeads, listRootChecks, Refusal } from '@eaas/server/internal';
import { copyTenant, type Tell, verifyCopy } from './copy-tenant.ts';
import { moveTenant, reopenTenant } from './move-tenant.ts';
import { type Databases, planOf } from './plan.ts';

/** What became of one tenant. */
export interface CopyReport {
  readonly tenant_id: string;
  readonly name: string | null;
  /**
   * - `copied`: the source serves the tenant.
   * - `moved`: the target serves the tenant now.
   * - `reopened`: the target serves the tenant again, because a move from the target to the source was interrupted.
   * - `elsewhere`: the target serves the tenant. The source has only an incomplete copy.
   * - `failed`: nothing has changed for clients.
   */
  readonly state: 'copied' | 'moved' | 'reopened' | 'elsewhere' | 'failed';
  readonly entry_id: number | null;
  /** The time, in milliseconds, during which requests of the tenant waited or were refused. */
  readonly closed_ms: number | null;
  readonly reason: string | null;
}

/** Whether to move the tenants, and whom to tell about the progress. */
export interface CopyOptions {
  readonly isMove: boolean;
  readonly tell: (what: string, name: string | null) => Tell;
}

type Chain = Awaited<ReturnType<typeof listChains>>[number];
type Outcome = Pick<CopyReport, 'state'> & Partial<CopyReport>;

/** Copies all tenants before the first move. The moves then follow each other without long copies between them. */
export async function* copyDatabase(databases: Databases, options: CopyOptions): AsyncGenerator<CopyReport> {
  await requireOneRoot(databases);
  const copied = new Map<string, number>();
  const known = new Set<string>();
  const report = async (chain: Chain, work: () => Promise<Outcome>): Promise<CopyReport> => {
    const { tenant_id, name } = chain;
    const base = { tenant_id, name, entry_id: null, closed_ms: null, reason: null };
    try {
      return { ...base, ...(await work()) };
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      return { ...base, state: 'failed', reason: error.message };
    }
  };
  // The loop repeats until it finds no new tenant, because operators can create tenants during the copy.
  for (let chains = await chainsOf(databases); chains.length > 0;) {
    for (const chain of chains) {
      const { tenant_id: tenantId } = chain;
      known.add(tenantId);
      const found = await report(chain, () => copyOne(databases, chain, options));
      if (found.state === 'copied' && options.isMove) copied.set(tenantId, found.entry_id ?? 0);
      else yield found;
    }
    for (const chain of chains) {
      const entry = copied.get(chain.tenant_id);
      if (entry !== undefined) yield report(chain, () => move(databases, chain, entry, options));
    }
    chains = (await chainsOf(databases)).filter((chain) => !known.has(chain.tenant_id));
  }
}

async function copyOne(
  databases: Databases,
  { tenant_id, name }: Chain,
  options: CopyOptions,
): Promise<Outcome> {
  const plan = await planOf(databases, tenant_id);
  const { step } = plan;
  if (step === 'copy') {
    const entry_id = await copyTenant(databases, plan, options.tell('copying', name));
    await verifyCopy(databases, tenant_id, options.tell('verifying', name));
    return { state: 'copied', entry_id };
  }
  // If a move was interrupted, no database serves the tenant. So the move is completed even without `--move`.
  if (step === 'finish') return move(databases, { tenant_id, name }, plan.to?.head.id ?? 0, options);
  if (step !== 'reopen') return { state: step };
  if (!options.isMove) return { state: 'elsewhere' };
  await reopenTenant(databases, tenant_id);
  return { state: 'reopened' };
}

async function move(databases: Databases, { tenant_id, name }: Chain, entry: number, { tell }: CopyOptions) {
  const moved = await moveTenant(databases, tenant_id, entry, tell('copying', name));
  return { state: 'moved', ...moved } as const;
}

async function chainsOf({ source, target }: Databases): Promise<readonly Chain[]> {
  const chains = await source.database.run(listChains, 30_000);
  const known = new Set(chains.map(({ tenant_id }) => tenant_id));
  const others = (await target.database.run(listChains, 30_000)).filter((one) => !known.has(one.tenant_id));
  if (others.length === 0) return chains;
  const heads = await target.database.run(listHeads, 30_000);
  const copies = new Set(heads.filter(isClosed).map(({ tenant_id }) => tenant_id));
  const served = others.filter(({ tenant_id }) => !copies.has(tenant_id));
  throw new Refusal(
    'conflict',
    `The target database must be empty or contain only tenants of the source (got ${shown(others)}). ` +
      (served.length > 0
        ? `The target serves ${shown(served)}. Do not erase what the target serves: check EAAS_DATABASE_URL, which is the ` +
          'source, and EAAS_COPY_TO_DATABASE_URL.'
        : 'The target has only copies of them: use an empty database, or erase them in the target with `eaas tenant destroy`.'),
  );
}

function shown(others: readonly Chain[]): string {
  return `${others.length} other ${others.length === 1 ? 'tenant' : 'tenants'}, such as ${others[0]?.tenant_id}`;
}

/** Refuses a copy during a rotation of the root key, when the secrets of tenants are encrypted under two root keys. */
async function requireOneRoot({ source }: Databases): Promise<void> {
  if ((await source.database.run(listRootChecks)).length <= 1) return;
  throw new Refusal(
    'conflict',
    'A rotation of the root key is under way: finish `eaas root-key rotate` before you copy the database.',
  );
}
