// Subjects on a replica, and the newcomers among them: their first wrap is being decided, and the append writes their row.
import type { KeyObject } from 'node:crypto';
import type { Subject } from '@eaas/protocol/service';

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
 * The newcomers of one state of a tenant. All requests that are decided at once share the secret of a newcomer, so that the
 * row of the first fits the others. The last of them forgets it, if none was written.
 */
export class Newcomers {
  readonly #all = new Map<
    string,
    { readonly subject: SubjectMaterial; holders: number; isDoubted: boolean }
  >();

  /** Returns the newcomer with this id, and makes it if there is none. Call `release` with it once. */
  hold(id: string, make: () => SubjectMaterial): SubjectMaterial {
    const known = this.#all.get(id) ?? { subject: make(), holders: 0, isDoubted: false };
    known.holders++;
    known.isDoubted = false;
    this.#all.set(id, known);
    return known.subject;
  }

  /** Whether a request can share the newcomer without a look at the database. */
  has(id: string): boolean {
    return this.#all.get(id)?.isDoubted === false;
  }

  /** Notes that another replica has perhaps created the subject, so the next request looks. */
  doubt({ id }: SubjectMaterial): void {
    const known = this.#all.get(id);
    if (known) known.isDoubted = true;
  }

  /** Called if the subject has a row now. */
  forget(id: string): void {
    this.#all.delete(id);
  }

  release(subject: SubjectMaterial): void {
    const known = this.#all.get(subject.id);
    if (known?.subject === subject && --known.holders === 0) this.#all.delete(subject.id);
  }
}

/** Collects the newcomers that a request holds, until it ends. */
export class Held {
  readonly #held: [Newcomers, SubjectMaterial][] = [];

  newcomer(newcomers: Newcomers, id: string, make: () => SubjectMaterial): SubjectMaterial {
    const subject = newcomers.hold(id, make);
    this.#held.push([newcomers, subject]);
    return subject;
  }

  release(): void {
    for (const [newcomers, subject] of this.#held) newcomers.release(subject);
  }
}
