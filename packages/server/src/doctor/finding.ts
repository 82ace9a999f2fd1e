/** The result of one check of `eaas doctor`. */
export interface Finding {
  readonly check: string;
  /**
   * A `warning` means that the server works but the operator should act. `skipped` means that an earlier failure made
   * the check impossible.
   */
  readonly status: 'ok' | 'warning' | 'failed' | 'skipped';
  /** One sentence with the result of the check. If the check failed or warns, a second sentence says what to do. */
  readonly message: string;
}

const of =
  (status: Finding['status']) =>
  (check: string, message: string): Finding => ({ check, status, message });

export const [ok, warning, failed, skipped] = [of('ok'), of('warning'), of('failed'), of('skipped')];
