// Remembers whom the service has called erased, so that the client asks nothing more about them and forgets their data keys.
import { personName, ServiceError } from '@eaas/protocol/internal';
import { Bounded } from '../bounded.ts';

const most = 10_000;

/**
 * The people whom the service has called erased. An erasure is for ever, so a client that knows of one asks no more about
 * this person: no request, and no entry in the audit log.
 */
export class Erasures {
  readonly #subjects = new Bounded<string, true>((size) => size > most);
  readonly #drop: (subject: string) => void;

  /** `drop` removes the data keys of a person from the memory of the client. */
  constructor(drop: (subject: string) => void) {
    this.#drop = drop;
  }

  add(subject: string): void {
    const name = personName(subject);
    this.#subjects.set(name, true);
    this.#drop(name);
  }

  refuse(subject: string | undefined): void {
    if (subject !== undefined && this.#subjects.has(personName(subject))) {
      throw new ServiceError('subject_erased', erased, { status: 409 });
    }
  }

  /** Makes a call about a person, unless the person was erased. */
  async ask<T>(subject: string | undefined, call: () => Promise<T>): Promise<T> {
    if (subject === undefined) return call();
    this.refuse(subject);
    return call().catch((error: ServiceError) => {
      if (error.code === 'subject_erased') this.add(subject);
      throw error;
    });
  }
}

const erased =
  'This subject was erased, and nothing under it opens again. A person who returns needs a new subject.';
