import { setTimeout as sleep } from 'node:timers/promises';
import { backoff, retried } from '../../../packages/sdk/src/transport/batches.ts';
import { type Answer, type Place, send } from '@eaas/test-kit/faults/client';
import type { Findings } from '../trial.ts';
import { repeat } from './repeat.ts';

type Send = typeof send;

/** The SDK retries twice by default. A larger limit shows how many retries a request needs. */
export const mostRetries = 5;
/** The balancer repeats only refused requests to these endpoints. */
const repeatable = /\/(?:wrap|unwrap|encrypt|decrypt)$/;
const checkEvery = 200;

/** A server that refuses a request gets no requests until its next successful check. */
export class Balancer {
  readonly ports: readonly number[];
  readonly retries = new Map<number, number>();
  readonly cut = new Set<string>();
  readonly #ready: Set<number>;
  #turn = 0;

  constructor(findings: Findings, ports: readonly number[]) {
    this.ports = ports;
    this.#ready = new Set(ports);
    findings.defer(repeat(checkEvery, () => this.#checkAll()));
  }

  sender(home?: number): Send {
    return async (_place, token, method, path, body) => {
      for (let retry = 0; ; retry++) {
        const port = this.#choose(home ?? this.#turn++);
        const answer = await send({ port }, token, method, path, body);
        this.note(port, answer.status);
        if (retry === mostRetries || !repeatable.test(path) || !isRefused(answer)) return answer;
        if (answer.code === 'ECONNRESET') for (const number of numbersIn(body)) this.cut.add(number);
        this.retries.set(retry + 1, (this.retries.get(retry + 1) ?? 0) + 1);
        await sleep(backoff(retry + 1));
      }
    };
  }

  /** Does not repeat refused requests, because the SDK repeats them. */
  readonly fetch: typeof fetch = async (input, init) => {
    const request = new Request(input, init);
    const url = new URL(request.url);
    const port = this.#choose(this.#turn++);
    url.port = String(port);
    try {
      const response = await fetch(new Request(url, request));
      this.note(port, response.status);
      return response;
    } catch (error) {
      this.note(port, 0);
      throw error;
    }
  };

  async check(port: number): Promise<Answer> {
    return send({ port }, '', 'GET', '/readyz');
  }

  note(port: number, status: number): void {
    if (status === 0 || status === 503) this.#ready.delete(port);
  }

  #choose(nth: number): number {
    const { ports } = this;
    const inOrder = ports.map((_, step) => ports[(nth + step) % ports.length] ?? 0);
    return inOrder.find((port) => this.#ready.has(port)) ?? ports[this.#turn++ % ports.length] ?? 0;
  }

  async #checkAll(): Promise<void> {
    for (const port of this.ports) {
      const { status } = await this.check(port);
      if (status === 200) this.#ready.add(port);
      else this.#ready.delete(port);
    }
  }
}

const numbersIn = (body: unknown): string[] =>
  Array.from(JSON.stringify(body).matchAll(/"n":"(\d+)"/g), ([, number = '']) => number);

const isRefused = ({ status }: Answer): boolean => status === 0 || retried.includes(status);

export const isRepeatable = ({ action }: { readonly action: string }): boolean =>
  action !== 'key.create' && action !== 'read';

export const anywhere: Place = { port: 0 };
