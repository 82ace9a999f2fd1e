import { median } from '@eaas/test-kit/statistics';
import { type BytesRequest, type Received, sendBytes } from '../../machine/bytes.ts';
import type { Findings } from '../../trial.ts';
import type { World } from './world.ts';

const longestMilliseconds = 50;
const mostMebibytes = 400;

interface Attempt {
  readonly what: string;
  readonly request: BytesRequest;
  readonly expected: (answer: Received) => boolean;
}

interface Sent {
  readonly answer: Received;
  readonly section: number;
}

export class Attempts {
  readonly #findings: Findings;
  readonly #world: World;
  readonly #sections: { what: string; section: number }[] = [];

  constructor(findings: Findings, world: World) {
    this.#findings = findings;
    this.#world = world;
  }

  async make({ what, request, expected }: Attempt): Promise<void> {
    const first = await this.#send(request);
    const more: Sent[] = [];
    const { answer } = first;
    const found = `${what}: ${answer.status} ${answer.text.slice(0, 120)}`;
    this.#findings.check('every response has the expected status, and none is 5xx', expected(answer), found);
    // Repeats a slow attempt, because garbage collection can slow down one attempt.
    for (let nth = 0; nth < 2 && first.section > longestMilliseconds; nth++)
      more.push(await this.#send(request));
    const sections = [first, ...more.filter((other) => other.answer.status === answer.status)].map(
      ({ section }) => section,
    );
    const section = median(sections);
    this.#sections.push({ what, section });
    const slow = `${what}: ${Math.round(section)} ms`;
    this.#findings.check(
      `no request blocks the event loop for more than ${longestMilliseconds} ms`,
      section <= longestMilliseconds,
      slow,
    );
  }

  async #send(request: BytesRequest): Promise<Sent> {
    const { server } = this.#world;
    await server.longestSection();
    const answer = await sendBytes(server, request);
    this.#findings.answer({ [answer.status]: 1 });
    return { answer, section: await server.longestSection() };
  }

  async judge(): Promise<void> {
    const { server } = this.#world;
    const slowest = this.#sections.sort((a, b) => b.section - a.section).slice(0, 5);
    const list = slowest.map(({ what, section }) => `${what} ${Math.round(section)} ms`);
    this.#findings.figure('longest sections', list.join('; '));
    const memory = Math.round(await server.peakMemory());
    this.#findings.figure('most memory', `${memory} MiB`);
    this.#findings.check(
      `the server uses less than ${mostMebibytes} MiB of memory`,
      memory < mostMebibytes,
      `${memory} MiB`,
    );
    this.#findings.check(
      'no server process ends unexpectedly',
      server.end() === undefined,
      server.log().slice(-300),
    );
  }
}
