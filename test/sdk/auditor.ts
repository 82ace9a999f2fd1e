import {
  type AuditReport,
  type AuditSource,
  type AuditState,
  checkAudit,
  type CheckOptions,
} from '@eaas/sdk/audit';

/** Creates an auditor that checks a log and stores its state as JSON. */
export interface Auditor {
  readonly saved: AuditState | undefined;
  check(options?: Partial<CheckOptions>): Promise<AuditReport>;
}

export function auditor(source: AuditSource): Auditor {
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
    check: (options) => checkAudit(source, { store, ...options }),
  };
}
