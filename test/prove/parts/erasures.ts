import { setTimeout as sleep } from 'node:timers/promises';
import { type Answer, call, type Place, send } from '@eaas/test-kit/faults/client';
import { newDek, tally } from '@eaas/test-kit/faults/load';
import type { Findings } from '../trial.ts';

interface Person {
  readonly subject: string;
  readonly wrapped_key: string;
  isErased: boolean;
}

interface Bench {
  readonly token: string;
  readonly keyId: string;
  readonly places: readonly Place[];
}

/** Erases people, one after the other, while a trial breaks something. */
export class Erasures {
  readonly #bench: Bench;
  readonly #people: readonly Person[];
  readonly #over = new AbortController();
  readonly #working: Promise<void>;

  private constructor(bench: Bench, people: readonly Person[]) {
    this.#bench = bench;
    this.#people = people;
    this.#working = this.#work();
  }

  static async start(findings: Findings, bench: Bench): Promise<Erasures> {
    const [place = { port: 0 }] = bench.places;
    const subjects = Array.from({ length: 1_000 }, (_, nth) => `person ${nth}`);
    const items = subjects.map((subject) => ({ key_id: bench.keyId, dek: newDek(), subject }));
    const { results } = await call<{ results: { wrapped_key: string }[] }>(
      place,
      bench.token,
      'POST',
      '/v1/batch/wrap',
      { items },
    );
    const people = results.map(({ wrapped_key }, nth) => ({
      subject: subjects[nth] ?? '',
      wrapped_key,
      isErased: false,
    }));
    const started = new Erasures(bench, people);
    findings.defer(() => started.#stop());
    return started;
  }

  /** The people whose erasure was acknowledged must stay erased, on each server. */
  async judge(findings: Findings, servers: readonly Place[]): Promise<void> {
    await this.#stop();
    const erased = this.#people.filter(({ isErased }) => isErased);
    findings.try('erasure', erased.length);
    for (const server of servers) {
      const answers: Answer[] = [];
      for (const { subject, wrapped_key } of erased) {
        const path = `/v1/keys/${this.#bench.keyId}/unwrap`;
        answers.push(await send(server, this.#bench.token, 'POST', path, { subject, wrapped_key }));
      }
      findings.check(
        'no server unwraps for a person whose erasure was acknowledged',
        answers.length > 0 && answers.every(({ code }) => code === 'subject_erased'),
        tally(answers),
      );
    }
  }

  async #work(): Promise<void> {
    const { places, token } = this.#bench;
    for (const [nth, person] of this.#people.entries()) {
      const place = places[nth % places.length] ?? { port: 0 };
      const body = { subject: person.subject };
      const { status } = await send(place, token, 'POST', '/v1/subjects/erase', body);
      // Without an answer, the person may be erased or not, and the trial does not judge.
      person.isErased = status === 200;
      await sleep(50);
      if (this.#over.signal.aborted) return;
    }
  }

  #stop(): Promise<void> {
    this.#over.abort();
    return this.#working;
  }
}
