// What an audit log has said that its later entries must not contradict: a service that honours what was taken away writes
// entries that its own log forbids. Whoever verifies a log walks with one, a service and its auditor alike.
import type { ChainedEntry, StoredEntry } from './audit-chain.ts';
import { type AuditAction, auditActions, effectIn, effectOf, effects } from './wire/audit-actions.ts';

/** What an entry said: about whom or what, what is so since then, and the id of the entry. */
export type LogFact = readonly [about: string, is: string | number, id: number];

/** What is known of a log, as plain JSON. */
export interface KnownFacts {
  /** All that entries from this one on said is known. Of those before, `facts` may lack some. */
  readonly since: number;
  readonly facts: readonly LogFact[];
}

/** Unless somebody says otherwise: more would make an auditor's state large. Those that were said last are kept. */
const mostFacts = 10_000;
/** Longer than any that a service writes. */
const longestName = 64;

/** What no later entry ends, and what one can end. */
const final: ReadonlySet<unknown> = new Set(['revoked', 'erased', 'destroyed']);
const states: ReadonlySet<unknown> = new Set([...final, 'disabled', 'pending_destruction']);

type Entry = Omit<ChainedEntry | StoredEntry, 'tenant_id' | 'ip_address' | 'created_at' | 'salt'>;
type Told = Readonly<Record<string, unknown>>;

/** Learns from each entry, and finds those that contradict what it knows. What is not known accuses nobody. */
export class LogHistory implements KnownFacts {
  since: number;
  /** Whether there was more than it keeps. */
  hasForgotten = false;
  readonly #facts = new Map<string, LogFact>();
  readonly #most: number;
  #knowsPeople = false;

  /** `most`: how many facts it keeps. */
  constructor({ since, facts = [] }: Pick<KnownFacts, 'since'> & Partial<KnownFacts>, most = mostFacts) {
    this.since = since;
    this.#most = most;
    for (const fact of facts) this.learn(...fact);
  }

  get facts(): LogFact[] {
    return [...this.#facts.values()];
  }

  /** Goes on to an entry. Returns what the entry contradicts, as a finding says it. */
  step(entry: Entry): string | undefined {
    const { id, metadata } = entry;
    const saysSomething = effectOf(entry.action)?.sets !== undefined;
    // Parsing costs more than all else here, and most entries neither say anything nor name what is known.
    if (!saysSomething && !this.#knowsWhatIsIn(entry)) return undefined;
    const told = Object(typeof metadata === 'string' ? JSON.parse(metadata) : metadata) as Told;
    const isRefused = told['outcome'] === 'refused';
    const found =
      this.#facts.get(`actor ${entry.actor}`) ?? (isRefused ? undefined : this.#against(entry, told));
    const effect = saysSomething ? effectIn(entry, told) : undefined;
    if (effect) this.learnRow(effect.id, effect.columns, id);
    return (
      found &&
      `entry ${id} contradicts entry ${found[2]}, since which its ${found[0].split(' ')[0]} is ${found[1]}`
    );
  }

  /** Goes on to an entry whose predecessor is not known: what can have been ended meanwhile is forgotten. */
  skipTo(id: number): void {
    for (const [about, is] of this.facts) if (!final.has(is)) this.#facts.delete(about);
    this.since = id;
  }

  /** Learns what columns of a row forbid since an entry, whether the entry said so or the row does. */
  learnRow(rowId: string, { status, min_version, revoked_at, erased_id }: Told, id: number): void {
    if (status) this.learn(`key ${rowId}`, status, id);
    if (min_version) this.learn(`min_version of ${rowId}`, min_version, id);
    if (revoked_at) this.learn(`actor ${rowId}`, 'revoked', id);
    if (erased_id) this.learn(nameOfPerson(rowId), 'erased', id);
  }

  /** Learns what an entry said. What forbids nothing, like an active key, is as if nobody had said it. */
  learn(about: string, is: unknown, id: number): void {
    const known = this.#facts.get(about);
    this.#facts.delete(about);
    if (known && final.has(known[1])) [, is, id] = known;
    if (about.length > longestName || !(states.has(is) || Number(is) > 1)) return;
    this.#facts.set(about, [about, is as LogFact[1], id]);
    this.#knowsPeople ||= about.startsWith('subject');
    const [oldest] = this.#facts.values();
    if (!oldest || this.#facts.size <= this.#most) return;
    this.#facts.delete(oldest[0]);
    this.hasForgotten = true;
    this.since = Math.max(this.since, oldest[2] + 1);
  }

  /** Whether something is known of the actor or the key. A person is named in the metadata, so one who is known stands for all. */
  #knowsWhatIsIn({ actor, key_id }: Entry): boolean {
    if (this.#knowsPeople || this.#facts.size === 0) return this.#knowsPeople;
    return [`actor ${actor}`, `key ${key_id}`, `min_version of ${key_id}`].some((one) =>
      this.#facts.has(one),
    );
  }

  #against({ action, key_id, key_version }: Entry, told: Told): LogFact | undefined {
    const erased = this.#facts.get(nameOfPerson(told['subject']));
    if (erased) return erased;
    const state = this.#facts.get(`key ${key_id}`);
    const leaves = action === 'key.restore' || action === 'key.destroy';
    // Under a key that is pending destruction, only two actions are left.
    const isForbidden =
      state?.[1] === 'disabled' ? effectOf(action)?.needsActive : state?.[1] === 'destroyed' || !leaves;
    if (state && isForbidden) return state;
    const isOpening = action === 'key.unwrap' || action === 'decrypt';
    const version = isOpening ? key_version : action === 'key.wrap' ? told['from_version'] : undefined;
    const oldest = this.#facts.get(`min_version of ${key_id}`);
    return oldest && Number(version ?? oldest[1]) < Number(oldest[1]) ? oldest : undefined;
  }
}

/** Entries have the first half of a person's id, and that of an erasure all of it. */
const nameOfPerson = (subject: unknown): string => `subject ${String(subject).slice(0, 32)}`;

/** The rare actions whose entries say what later ones must not contradict. */
export const factActions = (): AuditAction[] =>
  auditActions.filter((action) => effects[action].sets && !effects[action].creates);
