import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  CannotStart,
  type Health,
  type Measured,
  mergeMetrics,
  notReady,
  SharedRead,
} from '@eaas/server/internal';
import type { Arrival } from './acceptor.ts';
import type { Log } from './log.ts';
import { type Answer, isHealth, type Question, type Seen, type Start } from './messages.ts';
import { Routes } from './routes.ts';
import { WorkerProcess } from './worker-process.ts';

const [shortestPause, longestPause] = [100, 30_000];
const steady = 60_000;
const stopsWithin = 20_000;
/** The main process kills a worker after `mostUnanswered` unanswered questions in a row. */
const [mostUnanswered, betweenQuestions] = [3, 5_000];

export class Workers {
  readonly #start: Omit<Start, 'worker'>;
  readonly #log: Log;
  readonly #routes = new Routes();
  readonly #processes = new Map<number, WorkerProcess>();
  readonly #stopping = new AbortController();
  #kept: Promise<void>[] = [];
  #restarts = 0;
  // Anyone may ask for both, so the workers are asked at most once a second.
  readonly #health = new SharedRead(
    async () => healthOfAll(Array.from((await this.#ask('health')).values())),
    1_000,
  );
  readonly #metrics = new SharedRead(async () => this.#merged(await this.#ask('metrics')), 1_000);

  constructor(start: Omit<Start, 'worker'>, log: Log) {
    this.#start = start;
    this.#log = log;
  }

  async start(): Promise<void> {
    const numbers = Array.from({ length: this.#start.workers }, (_, index) => index + 1);
    const reasons = await Promise.all(numbers.map((worker) => this.#launch(worker).started));
    const reason = reasons.find((text) => text !== undefined);
    if (reason !== undefined) {
      await this.stop();
      throw new CannotStart(reason);
    }
    for (const worker of numbers) this.#routes.add(worker);
    this.#kept = numbers.map((worker) => this.#keep(worker));
  }

  deliver(socket: Socket, { bytes, token }: Arrival): void {
    const choice = this.#routes.choose(token);
    const chosen = choice && this.#processes.get(choice.worker);
    if (chosen) chosen.pass(socket, { bytes, token, isKnown: choice.isKnown });
    else socket.destroy();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    const processes = Array.from(this.#processes.values());
    for (const each of processes) each.stop();
    const timer = setTimeout(() => processes.forEach((each) => each.kill()), stopsWithin);
    await Promise.all(processes.map(({ ended }) => ended));
    await Promise.all(this.#kept);
    clearTimeout(timer);
  }

  #launch(worker: number): WorkerProcess {
    const launched = new WorkerProcess(
      { ...this.#start, worker },
      {
        seen: (seen) => this.#learn(worker, seen),
        ask: (id, question) =>
          void this.#answer(question).then((answer) => launched.send({ type: 'answer', id, answer })),
      },
    );
    this.#processes.set(worker, launched);
    return launched;
  }

  async #keep(worker: number): Promise<void> {
    const { signal } = this.#stopping;
    for (let pause = shortestPause; ; pause = Math.min(longestPause, 2 * pause)) {
      const startedAt = performance.now();
      const process = this.#processes.get(worker);
      if (process) void this.#killIfHung(worker, process);
      const how = await process?.ended;
      this.#routes.remove(worker);
      if (signal.aborted) return;
      if (performance.now() - startedAt > steady) pause = shortestPause;
      this.#log('error', 'a worker ended and will be started again', { worker, how, pause_ms: pause });
      await sleep(pause, undefined, { signal }).catch(() => {});
      if (signal.aborted) return;
      this.#restarts++;
      const reason = await this.#launch(worker).started;
      if (reason === undefined) this.#join(worker);
      else this.#log('error', 'a worker cannot start', { worker, reason });
    }
  }

  async #killIfHung(worker: number, process: WorkerProcess): Promise<void> {
    const { signal } = this.#stopping;
    let isOver = false;
    void process.ended.then(() => (isOver = true));
    for (let unanswered = 0; unanswered < mostUnanswered;) {
      await sleep(betweenQuestions, undefined, { signal }).catch(() => {});
      if (isOver || signal.aborted) return;
      unanswered = (await process.ask('health')) === undefined ? unanswered + 1 : 0;
    }
    if (isOver || signal.aborted) return;
    this.#log('error', 'a worker does not respond and will be killed', { worker });
    process.kill();
  }

  #join(worker: number): void {
    for (const { name: tenantId, from } of this.#routes.add(worker)) {
      this.#processes.get(from)?.send({ type: 'leave', tenantId });
    }
    this.#log('info', 'a worker serves again', { worker });
  }

  #learn(worker: number, { token, tenantId }: Seen): void {
    if (this.#routes.learn(token, tenantId, worker) === worker) return;
    this.#processes.get(worker)?.send({ type: 'leave', tenantId });
  }

  #answer(question: Question): Promise<Answer> {
    return question === 'health' ? this.#health.recent() : this.#metrics.run();
  }

  async #ask(question: Question): Promise<ReadonlyMap<number, Answer | undefined>> {
    const ask = async (worker: number) => {
      const answer = await this.#processes.get(worker)?.ask(question);
      return [worker, answer] as const;
    };
    const running = this.#routes.running.toSorted((a, b) => a - b);
    return new Map(await Promise.all(running.map(ask)));
  }

  #merged(answers: ReadonlyMap<number, Answer | undefined>): Promise<string> {
    const measured = Array.from(answers).flatMap(([worker, answer]): [number, Measured][] =>
      Array.isArray(answer) ? [[worker, answer]] : [],
    );
    return mergeMetrics(new Map(measured), this.#restarts);
  }
}

function healthOfAll(answers: readonly (Answer | undefined)[]): Health {
  const all = answers.map((answer) =>
    isHealth(answer) ? answer : { ready: false, reasons: [notReady.unknown] },
  );
  return {
    ready: all.length > 0 && all.every(({ ready }) => ready),
    reasons: Array.from(new Set(all.flatMap(({ reasons }) => reasons))),
  };
}
