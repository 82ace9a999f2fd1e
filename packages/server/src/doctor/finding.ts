/** The result of one check of `eaas doctor`. */
export interface Finding {
  readonly check: string;
  /** `warning`: the server works, but the operator should act. `skipped`: an earlier failure made this check impossible. */
  readonly status: 'ok' | 'warning' | 'failed' | 'skipped';
  /** One sentence with the result. After a failure or a warning it also says what to do. */
  readonly message: string;
}

const of =
  (status: Finding['status']) =>
  (check: string, message: string): Finding => ({ check, status, message });

export const [ok, warning, failed, skipped] = [of('ok'), of('warning'), of('failed'), of('skipped')];
