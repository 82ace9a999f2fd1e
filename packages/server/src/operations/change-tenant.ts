import type { Changed } from '@eaas/protocol/service';
import { insider } from '../caller.ts';
import type { Service } from '../service.ts';
import { change, type Change } from '../state/change.ts';
import { seal } from '../state/integrity.ts';
import { updateRow } from '../store/rows.ts';
import { type TenantRow, tenantTable } from '../store/tenants.ts';

interface Decided<Answer> extends Changed<Omit<TenantRow, 'mac'>> {
  readonly answer: Answer;
}

/** A change by the operator that writes only the row of the tenant. */
export function changeTenant<Answer>(
  service: Service,
  tenantId: string,
  decide: (open: Change) => Decided<Answer>,
): Promise<Answer> {
  return change(service, insider(tenantId, 'operator'), {
    load: async () => {},
    decide(open) {
      const { row, draft, answer } = decide(open);
      const { secrets } = open.state;
      return { draft, answer, write: (tx) => [updateRow(tx, tenantTable, seal(secrets, tenantTable, row))] };
    },
  });
}
