import { Refusal, type Service } from '@eaas/server/internal';
import { continues, findSide, type Side } from './side.ts';

export interface Databases {
  readonly source: Service;
  readonly target: Service;
}

export interface Plan {
  /**
   * - `finish`: a move from the source to the target was interrupted. No database serves the tenant.
   * - `reopen`: a move from the target to the source was interrupted. The target still has the whole log.
   * - `moved`: the tenant was moved from the source to the target, which serves the tenant.
   * - `elsewhere`: the target serves the tenant. The source has only an incomplete copy.
   */
  readonly step: 'copy' | 'finish' | 'reopen' | 'moved' | 'elsewhere';
  readonly from: Side;
  readonly to: Side | undefined;
}

export async function planOf({ source, target }: Databases, tenantId: string): Promise<Plan> {
  const from = await source.database.run((sql) => findSide(sql, source.tenants.roots, tenantId));
  const to = await target.database.run((sql) => findSide(sql, target.tenants.roots, tenantId));
  if (!from) throw refusal(tenantId, 'was destroyed in the source during the copy: run the command again');
  const step = stepOf(tenantId, from, to);
  const [longer, longerSide, shorter] =
    step === 'copy' || step === 'finish' ? ([source, from, to] as const) : ([target, to, from] as const);
  const isSame =
    !shorter || !longerSide || (await longer.database.run((sql) => continues(sql, longerSide, shorter.head)));
  if (isSame) return { step, from, to };
  throw refusal(
    tenantId,
    'has another audit log in the target. Use an empty target, or erase the tenant there with `eaas tenant destroy`',
  );
}

function stepOf(tenantId: string, from: Side, to: Side | undefined): Plan['step'] {
  const isSameCopy = from.copyId === to?.copyId;
  if (from.kind === 'open') {
    if (to?.kind !== 'open') return 'copy';
    throw refusal(
      tenantId,
      'is open in both databases, and only one database may serve a tenant. Check EAAS_DATABASE_URL and EAAS_COPY_TO_DATABASE_URL',
    );
  }
  if (from.kind === 'moved') {
    if (to?.kind === 'open') return 'moved';
    if (to?.kind === 'arriving' && isSameCopy) return 'finish';
    throw refusal(
      tenantId,
      'has moved from the source to a database other than the target. Set EAAS_COPY_TO_DATABASE_URL to that database',
    );
  }
  if (to?.kind === 'open') return 'elsewhere';
  if (to?.kind === 'moved' && isSameCopy) return 'reopen';
  throw refusal(
    tenantId,
    'has only an incomplete copy in the source. Set EAAS_DATABASE_URL to the database from which the copy came',
  );
}

export function refusal(tenantId: string, sentence: string): Refusal {
  return new Refusal('conflict', `The tenant ${tenantId} ${sentence}.`);
}
