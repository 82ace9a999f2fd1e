/** The result of one check of `eaas doctor`. */
export interface Finding {
  readonly check: string;
  /**
   * `warning` means that the server works, but the operator should act. `skipped` means that an earlier failure made
   * the check impossible.
   */
  readonly status: 'ok' | 'warning' | 'failed' | 'skipped';
  /** A sentence that describes the result and, after a failure or a warning, what to do. */
  readonly message: string;
}

const of =
  (status: Finding['status']) =>
  (check: string, message: string): Finding => ({ check, status, message });

export const [ok, warning, failed, skipped] = [of('ok'), of('warning'), of('failed'), of('skipped')];
