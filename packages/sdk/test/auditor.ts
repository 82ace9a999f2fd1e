import { type AuditSource, type AuditState, checkAudit, type CheckOptions } from '@eaas/sdk/audit';

export type Auditor = ReturnType<typeof auditor>;

export function auditor(source: AuditSource) {
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
    get saved(): AuditState | undefined {
      return state;
    },
    check: (options?: Partial<CheckOptions>) => checkAudit(source, { store, ...options }),
  };
}
