import { type AuditReport, checkAudit, type CheckOptions } from '../../packages/sdk/src/audit/check.ts';
import { auditOf } from '../../packages/sdk/src/audit/methods.ts';
import type { AuditState } from '../../packages/sdk/src/audit/state.ts';
import type { Call } from '../../packages/sdk/src/transport.ts';

/** Somebody who checks a log, and keeps the state as JSON. */
export interface Auditor {
  readonly saved: AuditState | undefined;
  check(options?: Partial<CheckOptions>): Promise<AuditReport>;
}

export function auditor({ call }: { readonly call: Call }): Auditor {
  let text: string | undefined;
  let state: AuditState | undefined;
  const store = {
    load: () => text && (JSON.parse(text) as unknown),
    save: (next: AuditState) => {
      state = next;
      text = JSON.stringify(next);
    },
  };
  return {
    get saved() {
      return state;
    },
    check: (options) => checkAudit({ audit: auditOf(call) }, { store, ...options }),
  };
}
