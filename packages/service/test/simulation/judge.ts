// Judges one tenant: each entry when it lands, and each answer when it leaves, by the model. An auditor walks along, who must
// never find a contradiction.
import { toHex } from '@eaas/protocol/internal';
import { LogHistory } from '@eaas/protocol/internal-log';
import type { Receipt } from '@eaas/protocol/wire';
import {
  type EntryRow,
  openTenantSecrets,
  type Roots,
  type TenantRow,
  type TenantSecrets,
} from '@eaas/service';
import { personId, shortId } from '../../src/rules/authorize.ts';
import { after, atFirst, type Call, type State, toldBy, verdictOn } from './model.ts';

/** A call on its way. */
export interface Sent extends Call {
  readonly began: number;
  /** The newest entry when it was sent, and how often the log had lost entries. */
  readonly from: number;
  readonly epoch: number;
  /** The first of its entries, if it has some. */
  landed?: number | undefined;
}

/** What a caller was told about an item. */
export interface Told {
  readonly code: string;
  readonly receipt?: Receipt | undefined;
}

/** Thrown when an invariant does not hold. */
export class Fault extends Error {
  override readonly name = 'Fault';
}

/** What an item must be told, and the key that it is about. */
type Verdict = readonly [code: string, key_id: string | undefined];

/** Says nothing of what a call asks for: who is told so does not know whether it was written, and is told no secret. */
export const isAway = (code: string): boolean => code === 'audit_unwritten' || code === 'unavailable';

/** How many milliseconds there are at most from a judgement to its entry, and from a call to its entry. */
const [latest, latestOfAll] = [10_000, 19_000];

export class Judge {
  readonly name: string;
  readonly tenantId: string;
  readonly secrets: TenantSecrets;
  /** All entries that the log has had, also those that were purged. */
  readonly entries: EntryRow[] = [];
  readonly states: State[] = [atFirst];
  /** How often the log has lost entries. */
  epoch = 0;
  /** The ids of keys, API keys and issuers of which a row was altered once: replicas remember it when it was put right. */
  readonly altered = new Set<string>();
  /** What is in wrapped keys. */
  readonly wrapped = new Map<unknown, { readonly version: number; readonly dek: unknown }>();
  #auditor = new LogHistory({ since: 1 });
  readonly #sent = new Map<string, Sent[]>();
  readonly #released = new Set<number>();
  readonly #people = new Map<string, string>();

  constructor(tenant: TenantRow, roots: Roots) {
    this.name = tenant.name;
    this.tenantId = tenant.tenant_id;
    this.secrets = openTenantSecrets(roots, tenant);
  }

  get state(): State {
    return this.states.at(-1) ?? atFirst;
  }

  send(call: Call): Sent {
    const sent: Sent = { ...call, began: performance.now(), from: this.entries.length, epoch: this.epoch };
    const name = `${call.actor} ${call.mark}`;
    this.#sent.set(name, [...(this.#sent.get(name) ?? []), sent]);
    return sent;
  }

  /** ONCE, STALE, LATE, ACCUSE: each entry is of one call, and right after those before it. */
  land(entries: readonly EntryRow[], now: number): void {
    let [open, left]: [Sent | undefined, Verdict[]] = [undefined, []];
    const isOptional = ([, key_id = '']: Verdict): boolean => this.altered.has(key_id);
    for (const entry of entries) {
      const { id, created_at: time } = entry;
      if (!open || !this.#sentOf(entry).includes(open)) left = left.filter((verdict) => !isOptional(verdict));
      if (left.length === 0) {
        open = this.#sentOf(entry).find(({ landed }) => landed === undefined);
        if (!open) throw new Fault(`ONCE: entry ${id}, ${entry.action}, is of no call that has none yet`);
        const { mark, began } = open;
        const verdicts = this.#verdicts(open, this.state, time);
        left = verdicts.filter(([code]) => code.endsWith('!'));
        open.landed = id;
        if (now - time > latest || performance.now() - began > latestOfAll) {
          throw new Fault(`LATE: entry ${id} of ${mark} lands too late`);
        }
        if (left.length === 0) throw new Fault(`STALE: entry ${id} of ${mark}, the model ${verdicts.join()}`);
      }
      if (!open || !this.#sentOf(entry).includes(open)) {
        throw new Fault(`ONCE: entry ${id} comes amid a call`);
      }
      // An item about an altered row can have been refused without an entry, while others of its batch have theirs. What a wrapped
      // key of before a loss opens, the model does not know.
      const isSame = open.epoch === this.epoch;
      left.splice(
        0,
        left.findIndex((verdict) => !isOptional(verdict) || tells(entry, verdict, isSame)),
      );
      this.#follow(entry, open, left.shift());
    }
    if (!left.every(isOptional)) throw new Fault(`ONCE: ${open?.mark} was written in part`);
  }

  /** The log has lost its newest entries. */
  lose(head: number): void {
    this.epoch++;
    this.entries.length = head;
    this.states.length = head + 1;
    for (const id of this.#released) if (id > head) this.#released.delete(id);
    for (const sent of [...this.#sent.values()].flat()) {
      if ((sent.landed ?? 0) > head) sent.landed = undefined;
    }
    this.#auditor = new LogHistory({ since: 1 });
    for (const entry of this.entries) this.#auditor.step(entry);
  }

  /** RELEASED, READ: an answer has its entry, or was right in a state since the call. An altered row gives no rights. */
  answer(sent: Sent, told: readonly Told[], time: number): void {
    const isUser = sent.until !== undefined;
    for (const [nth, { code, receipt }] of told.entries()) {
      if (isAway(code) || (code === 'unauthorized' && this.altered.has(sent.actor))) continue;
      if (receipt) this.#release(sent, code, receipt);
      else if (sent.epoch === this.epoch) {
        const states = this.states.slice(sent.from);
        const verdicts = states.map((state) => this.#verdicts(sent, state, time)[nth]?.[0]);
        // Users are told of no entries.
        if (verdicts.includes(code) || (isUser && verdicts.includes(`${code}!`))) continue;
        throw new Fault(
          `READ: ${sent.mark} is told ${code}, the model ${[...new Set(verdicts)].join(' or ')}`,
        );
      }
    }
    if (isUser && told[0]?.code === 'ok' && sent.epoch === this.epoch && sent.landed === undefined) {
      throw new Fault(`RELEASED: ${sent.mark} of a user has no entry`);
    }
  }

  #verdicts(sent: Sent, state: State, time: number): Verdict[] {
    return sent.inputs.map((input) => {
      const { version = 0 } = this.wrapped.get(input['wrapped_key']) ?? {};
      const { subject = '' } = input as { readonly subject?: string };
      const the = { input, state, time, version, person: this.#person(subject) };
      return [verdictOn(sent, the), input.key_id];
    });
  }

  #person(name: string): string {
    const id = this.#people.get(name) ?? shortId(personId(this, 'subjects', name));
    this.#people.set(name, id);
    return id;
  }

  #release(sent: Sent, code: string, { id, hash }: Receipt): void {
    const entry = this.entries[id - 1];
    const isRight = entry && toHex(entry.hash) === hash && codeOf(entry) === code;
    if (!isRight || !this.#sentOf(entry).includes(sent)) {
      throw new Fault(`RELEASED: ${sent.mark} has no entry ${id}`);
    }
    if (this.#released.has(id)) throw new Fault(`RELEASED: entry ${id} is that of two answers`);
    this.#released.add(id);
  }

  #follow(entry: EntryRow, { epoch, mark }: Sent, [verdict]: Partial<Verdict> = []): void {
    const { id, action, key_id, key_version } = entry;
    if (epoch === this.epoch && verdict !== `${codeOf(entry)}!`) {
      throw new Fault(`STALE: entry ${id} of ${mark} says ${codeOf(entry)}, the model ${verdict}`);
    }
    const version = this.state.keys.get(key_id ?? '')?.version;
    if ((action === 'key.wrap' || action === 'encrypt') && key_version !== version) {
      throw new Fault(`STALE: entry ${id} of ${mark} wraps under version ${key_version}, not ${version}`);
    }
    const contradiction = this.#auditor.step(entry);
    if (contradiction) throw new Fault(`ACCUSE: ${contradiction}`);
    this.entries.push(entry);
    this.states.push(after(this.state, entry));
  }

  #sentOf(entry: EntryRow): readonly Sent[] {
    const { context } = toldBy(entry) as { readonly context?: { readonly call?: string } };
    return this.#sent.get(`${entry.actor} ${entry.ip_address ?? context?.call}`) ?? [];
  }
}

const tells = (entry: EntryRow, [code, key_id]: Verdict, isSame: boolean): boolean =>
  (!isSame || code === `${codeOf(entry)}!`) && key_id === (entry.key_id ?? undefined);

function codeOf(entry: EntryRow): string {
  const { outcome, code } = toldBy(entry);
  return outcome === 'refused' ? String(code) : 'ok';
}
