// What an operator should hear of: counts for metrics, and lines of the log, at most one a minute of each kind and thing.
import { Remembered, type Step, type Tampered } from '@eaas/service';
import { codeOf } from './cannot-start.ts';

const minute = 60_000;

type Fields = Readonly<Record<string, unknown>>;

/** What PostgreSQL's codes of errors look like, and Node's do not. */
const sqlState = /^(?=.*\d)[\dA-Z]{5}$/;

export class Alarms {
  tamperingFound = 0;
  rotationsSkipped = 0;
  keyFetchesFailed = 0;
  log: (fields: Fields, message: string) => void = () => {};
  readonly #clock: () => number;
  readonly #logged = new Remembered<number>(10_000);

  constructor(clock = () => performance.now()) {
    this.#clock = clock;
  }

  tampered({ table, id, tenantId }: Tampered['row']): void {
    this.tamperingFound++;
    const fields = { table, row_id: id, tenant_id: tenantId };
    const message = 'a row was changed by something other than the service: run `eaas audit verify`';
    this.#report(table, id, fields, message);
  }

  /** Somebody has changed the schema while servers run: what reads and writes rows may not be ours any more. */
  schemaChanged(faults: readonly string[]): void {
    this.tamperingFound++;
    const message =
      'the schema of the database was changed: find out who did this, and run `eaas audit verify`';
    this.#report('schema', '', { faults }, message);
  }

  /** What was exchanged whole and put back is shown by nothing else, so each tenant and entry has a line of its own. */
  wentBack(tenantId: string, seenId: number, foundId: number): void {
    const fields = { tenant_id: tenantId, seen_entry: seenId, newest_entry: foundId };
    const message =
      'an audit log lacks an entry that this server has seen: unless you restored a backup or had a failover, somebody has put ' +
      'back older rows';
    this.#report('went back', `${tenantId} ${seenId}`, fields, message);
  }

  /** Told once of each, because from then on a newer entry is remembered. */
  rememberedIsPurged(tenantId: string, seenId: number): void {
    const message =
      'what this server remembers of an audit log is older than the entries that are kept: whether somebody has put back older rows ' +
      'meanwhile is unknown';
    this.#report('remembered is purged', tenantId, { tenant_id: tenantId, seen_entry: seenId }, message);
  }

  /** Without what it has seen last, a server that starts again notices less. */
  headsUnwritten(err: unknown): void {
    this.#report('heads', '', { err }, 'the newest audit entries could not be remembered in EAAS_STATE_DIR');
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

  /** The clients do not get the reason: they get only the error code `audit_unwritten`. */
  unwritten(error: unknown, step: Step): void {
    this.#failed(error, step, 'audit entries could not be written');
  }

  failed(error: unknown, step: Step): void {
    const message = step === 'answer' ? 'a call failed unexpectedly' : 'the database could not be read';
    this.#failed(error, step, message);
  }

  /** Each step and SQLSTATE has a line of its own, so that the first cause does not hide the one that lasts. */
  #failed(err: unknown, step: Step, message: string): void {
    const { cause } = Object(err) as { readonly cause?: unknown };
    const sqlstate = [err, cause].map(codeOf).find((code) => sqlState.test(code));
    this.#report(step, sqlstate ?? '', { step, ...(sqlstate && { sqlstate }), err }, message);
  }

  #report(kind: string, id: string, fields: Fields, message: string): void {
    const name = `${kind} ${id}`;
    const now = this.#clock();
    const last = this.#logged.get(name);
    if (last !== undefined && now - last < minute) return;
    this.#logged.set(name, now);
    this.log(fields, message);
  }
}
