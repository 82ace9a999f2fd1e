import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { median, quantile } from '@eaas/test-kit/statistics';
import { type Answer, call, type Place, send } from '@eaas/test-kit/faults/client';
import { newDek } from '@eaas/test-kit/faults/load';
import { newKey, type Operator } from '@eaas/test-kit/faults/place';
import { newIssuer } from '@eaas/test-kit/calls';
import { newSignIn } from '@eaas/test-kit/sign-in';

const interval = 5;
const plaintext = 'x'.repeat(1_024);

interface Means {
  readonly token: string;
  readonly keyId: string;
  readonly wrapped: string;
  /** Of a user's token. */
  readonly issuerId?: string;
  readonly subject?: string;
}

export class SecondTenant {
  readonly means: Means;

  private constructor(means: Means) {
    this.means = means;
  }

  static async settle(operator: Operator, place: Place): Promise<SecondTenant> {
    const { token } = await operator.newTenant();
    const keyId = await newKey(place, token);
    const path = `/v1/keys/${keyId}/wrap`;
    const { wrapped_key } = await call<{ wrapped_key: string }>(place, token, 'POST', path, {
      dek: newDek(),
    });
    return new SecondTenant({ token, keyId, wrapped: wrapped_key });
  }

  /** Makes an issuer of this tenant, and returns its id. */
  async issuer(place: Place, keys: object): Promise<string> {
    const { jwks: _, ...fields } = newIssuer(this.means.keyId);
    const body = { ...fields, ...keys };
    const { issuer_id } = await call<{ issuer_id: string }>(
      place,
      this.means.token,
      'POST',
      '/v1/issuers',
      body,
    );
    return issuer_id;
  }

  /** The same tenant, asked by a user of its sign-in, whose token the server remembers. `uriOf` says where its keys are. */
  async user(place: Place, uriOf?: (jwks: object) => string) {
    const subject = 'ann';
    const { keyId } = this.means;
    const signIn = newSignIn();
    const jwks = { keys: [{ kty: 'EC', ...signIn.jwk }] };
    const issuerId = await this.issuer(place, uriOf ? { jwks_uri: uriOf(jwks) } : { jwks });
    const by = { token: signIn.token(subject), issuerId };
    const wrap = [`/v1/keys/${keyId}/wrap`, { dek: newDek(), subject }] as const;
    const { wrapped_key } = await call<{ wrapped_key: string }>(
      { ...place, issuerId },
      by.token,
      'POST',
      ...wrap,
    );
    const user = new SecondTenant({ ...by, keyId, subject, wrapped: wrapped_key });
    const signedInAnew = () =>
      new SecondTenant({ ...user.means, token: signIn.token(subject, { jti: randomUUID() }) });
    return { by, user, signedInAnew };
  }

  /** Unwraps, and returns the time that it takes in milliseconds. */
  async unwrap(place: Place): Promise<number> {
    const { answer, latency } = await this.#send(place, 0, performance.now());
    return answer.status === 200 ? latency : Infinity;
  }

  /**
   * Measures latencies from the scheduled time of each request, so that a late start counts too. `shared`: how many measure at
   * once.
   */
  async measure(place: Place, requests: number, shared = 1): Promise<Measurement> {
    const startedAt = performance.now();
    const probes = probe(place);
    const verified = this.means.issuerId === undefined ? this.verify(place) : undefined;
    const pending: Promise<Timed>[] = [];
    for (let nth = 0; nth < requests / shared; nth++) {
      const dueAt = startedAt + nth * interval * shared;
      const wait = dueAt - performance.now();
      if (wait > 0) await sleep(wait);
      pending.push(this.#send(place, nth, dueAt));
    }
    const timed = await Promise.all(pending);
    return { ...summarize(timed, await verified), readiness: await probes.stop() };
  }

  verify(place: Place): Promise<Answer> {
    return send(place, this.means.token, 'GET', '/v1/audit/verify');
  }

  async #send(place: Place, nth: number, dueAt: number): Promise<Timed> {
    const { token, keyId, wrapped, issuerId, subject } = this.means;
    const unwrap = { wrapped_key: wrapped, subject };
    const encrypt = { key_id: keyId, plaintext, subject };
    const there = { ...place, ...(issuerId !== undefined && { issuerId }) };
    const answer =
      nth % 2 === 0
        ? await send(there, token, 'POST', `/v1/keys/${keyId}/unwrap`, unwrap)
        : await send(there, token, 'POST', '/v1/encrypt', encrypt);
    return { answer, latency: answer.answeredAt - dueAt };
  }
}

interface Timed {
  readonly answer: Answer;
  readonly latency: number;
}

/** Asks `/readyz` ten times a second, as a load balancer does. `stop` returns the longest time until an answer. */
function probe(place: Place) {
  const over = new AbortController();
  const probing = (async () => {
    let longest = 0;
    while (!over.signal.aborted) {
      const { sentAt, answeredAt } = await send(place, '', 'GET', '/readyz');
      longest = Math.max(longest, answeredAt - sentAt);
      await sleep(100);
    }
    return longest;
  })();
  return {
    stop(): Promise<number> {
      over.abort();
      return probing;
    },
  };
}

export interface Measurement {
  readonly p50: number;
  readonly p99: number;
  /** The longest time until `/readyz` answered, in milliseconds. */
  readonly readiness: number;
  readonly refused: readonly Answer[];
}

function summarize(timed: readonly Timed[], verified: Answer | undefined): Omit<Measurement, 'readiness'> {
  const latencies = timed.map(({ latency }) => latency);
  const answers = [...timed.map(({ answer }) => answer), ...(verified ? [verified] : [])];
  return {
    p50: median(latencies),
    p99: quantile(latencies, 0.99),
    refused: answers.filter(({ status }) => status !== 200),
  };
}
