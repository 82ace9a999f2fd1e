import { lastUsed } from './last-used.ts';
import { Tampered, type NamedRow } from './refusal.ts';

const minute = 60_000;

export class Alarms {
  tamperingFound = 0;
  rotationsSkipped = 0;
  keyFetchesFailed = 0;
  log: (fields: Readonly<Record<string, unknown>>, message: string) => void = () => {};
  /** `Alarms` calls `distrust` with the tenant of a tampered row, at most once per minute for each row. */
  distrust: (tenantId: string) => void = () => {};
  readonly #clock: () => number;
  readonly #logged = lastUsed<number>(10_000);

  constructor(clock = () => performance.now()) {
    this.#clock = clock;
  }

  failed(error: unknown): void {
    if (error instanceof AggregateError) for (const one of error.errors) this.failed(one);
    else if (error instanceof Tampered) this.tampered(error.row);
  }

  tampered({ table, id, tenantId }: NamedRow): void {
    this.tamperingFound++;
    const fields = { table, row_id: id, tenant_id: tenantId };
    const message = 'a row was changed by something other than the service: run `eaas audit verify`';
    if (this.#report(table, id, fields, message)) this.distrust(tenantId);
  }

  rotationSkipped(tenantId: string, keyId: string): void {
    this.rotationsSkipped++;
    const fields = { tenant_id: tenantId, key_id: keyId };
    const message =
      'a due rotation was skipped because the key has the maximum of 10,000 versions: create another key';
    this.#report('rotation', keyId, fields, message);
  }

  /** A tenant chooses the host, so the log has the issuer and not the URI. */
  keysNotFetched(issuerId: string, tenantId: string, reason: string): void {
    this.keyFetchesFailed++;
    const fields = { tenant_id: tenantId, issuer_id: issuerId, reason };
    this.#report('key host', issuerId, fields, 'the public keys of a sign-in could not be fetched');
  }

  /**
   * Logs why audit entries could not be written, at most once per minute. The clients do not get the reason: they get
   * only the error code `audit_unwritten`.
   */
  unwritten(error: unknown): void {
    this.#report('append', '', { err: error }, 'audit entries could not be written');
  }

  #report(kind: string, id: string, fields: Readonly<Record<string, unknown>>, message: string): boolean {
    const row = `${kind} ${id}`;
    const now = this.#clock();
    const last = this.#logged.get(row);
    if (last !== undefined && now - last < minute) return false;
    this.#logged.set(row, now);
    this.log(fields, message);
    return true;
  }
}
