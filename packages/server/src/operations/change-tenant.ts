import type { Changed } from '@eaas/protocol/service';
import { insider } from '../state/caller.ts';
import type { Service } from '../app/service.ts';
import { change, type Change } from '../state/change.ts';
import { seal } from '../state/integrity.ts';
import { updateRow } from '../store/rows.ts';
import { type TenantRow, tenantTable } from '../store/tenants.ts';

interface Decided<Answer> extends Changed<Omit<TenantRow, 'mac'>> {
  readonly answer: Answer;
}

/** Runs a change that the operator makes. The change writes only the tenant's row. */
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
      return {
        draft,
        rowId: tenantId,
        answer,
        write: (tx) => [updateRow(tx, tenantTable, seal(secrets, tenantTable, row))],
      };
    },
  });
}
