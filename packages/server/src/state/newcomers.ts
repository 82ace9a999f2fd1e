// Subjects on a replica, and the newcomers among them: their first wrap is being decided, and the append writes their row.
import type { KeyObject } from 'node:crypto';
import type { Subject } from '@eaas/protocol/service';
import { rowIdOf } from '../store/subjects.ts';

/** A subject with its opened secret, which is null once it is erased, and absent in one that nobody wrapped for. */
export class SubjectMaterial implements Subject {
  readonly id: string;
  state: Subject['state'];
  readonly secret: KeyObject | null;
  /** The sealed secret of a newcomer, for its row. */
  readonly sealed: Uint8Array | null;

  constructor(
    id: string,
    state: Subject['state'],
    secret: KeyObject | null,
    sealed: Uint8Array | null = null,
  ) {
    this.id = id;
    this.state = state;
    this.secret = secret;
    this.sealed = sealed;
  }
}

/**
 * The newcomers of a tenant. All requests that are decided at once share the secret of a newcomer, so that the row of the
 * first fits the others. The last of them forgets it, if none was written. A change of the tenant leaves the newcomers that
 * it did not touch, because the append of a row finds out whether a subject is new.
 */
export class Newcomers {
  /** By their row ids. */
  readonly #all = new Map<
    string,
    { readonly subject: SubjectMaterial; holders: number; isDoubted: boolean }
  >();

  /** Returns the newcomer with this id, and makes it if there is none. Call `release` with it once. */
  hold(id: string, make: () => SubjectMaterial): SubjectMaterial {
    const rowId = rowIdOf(id);
    const known = this.#all.get(rowId) ?? { subject: make(), holders: 0, isDoubted: false };
    known.holders++;
    known.isDoubted = false;
    this.#all.set(rowId, known);
    return known.subject;
  }

  /** Whether a request can share the newcomer without a look at the database. */
  has(id: string): boolean {
    return this.#all.get(rowIdOf(id))?.isDoubted === false;
  }

  /** Notes that another replica has perhaps created the subject, so the next request looks. */
  doubt({ id }: SubjectMaterial): void {
    const known = this.#all.get(rowIdOf(id));
    if (known) known.isDoubted = true;
  }

  /** Called if the subject has a row now, or its row was changed. */
  forget(rowId: string): void {
    this.#all.delete(rowId);
  }

  release(subject: SubjectMaterial): void {
    const rowId = rowIdOf(subject.id);
    const known = this.#all.get(rowId);
    if (known?.subject === subject && --known.holders === 0) this.#all.delete(rowId);
  }
}

/** Collects the newcomers that a request holds, until it ends, and the ids of the subjects that it names. */
export class Held {
  readonly #held = new Map<SubjectMaterial, Newcomers>();
  readonly #ids = new Map<string, string>();

  /** Computes the id of a subject once, because no change of a tenant alters the key of the ids. */
  idOf(name: string, compute: () => string): string {
    const id = this.#ids.get(name) ?? compute();
    this.#ids.set(name, id);
    return id;
  }

  newcomer(newcomers: Newcomers, id: string, make: () => SubjectMaterial): SubjectMaterial {
    const subject = newcomers.hold(id, make);
    // A request that is judged again holds a newcomer already.
    if (this.#held.has(subject)) newcomers.release(subject);
    else this.#held.set(subject, newcomers);
    return subject;
  }

  release(): void {
    for (const [subject, newcomers] of this.#held) newcomers.release(subject);
  }
}
