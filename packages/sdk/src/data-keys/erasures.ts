import { personName, ServiceError } from '@eaas/protocol/internal';

const most = 10_000;

/**
 * The people whom the service has called erased. An erasure is for ever, so a client that knows of one asks no more about
 * this person: no request, and no entry in the audit log.
 */
export class Erasures {
  readonly #subjects = new Set<string>();

  add(subject: string): void {
    this.#subjects.add(personName(subject));
    const [oldest] = this.#subjects;
    if (this.#subjects.size > most && oldest !== undefined) this.#subjects.delete(oldest);
  }

  /** Makes a call about a person, unless the person was erased. */
  async ask<T>(subject: string | undefined, call: () => Promise<T>): Promise<T> {
    if (subject === undefined) return call();
    if (this.#subjects.has(personName(subject))) throw erased();
    return call().catch((error: ServiceError) => {
      if (error.code === 'subject_erased') this.add(subject);
      throw error;
    });
  }
}

const erased = (): ServiceError =>
  new ServiceError(
    'subject_erased',
    'This subject was erased, and nothing under it opens again. A person who returns needs a new subject.',
    { status: 409 },
  );
