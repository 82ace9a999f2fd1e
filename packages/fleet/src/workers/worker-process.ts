import { type ChildProcess, fork } from 'node:child_process';
import type { Socket } from 'node:net';
import {
  type Answer,
  type Arrived,
  patience,
  type Question,
  Questions,
  type Seen,
  type Start,
  type ToMain,
  type ToWorker,
} from './messages.ts';
import { closerOf, refuseLostSockets } from './socket-handle.ts';

interface Passing {
  readonly socket: Socket;
  readonly arrived: Arrived;
  readonly close: () => void;
}

interface Handlers {
  readonly seen: (seen: Seen) => void;
  readonly ask: (id: number, question: Question) => void;
}

export class WorkerProcess {
  /** Resolves to undefined when the worker accepts requests, or to the reason why it cannot start. */
  readonly started: Promise<string | undefined>;
  readonly ended: Promise<string>;
  readonly #questions = new Questions(patience.ofMain);
  readonly #child: ChildProcess;
  /**
   * Connections that wait for the worker, in order of arrival. Each waits until the worker has taken the connection
   * before it.
   */
  readonly #waiting = new Set<Passing>();
  /** The connection that was sent to the worker and that the worker has not yet taken. */
  #sent: Passing | undefined;
  #stops = false;
  #hasEnded = false;

  constructor(start: Start, handlers: Handlers) {
    const child = fork(process.argv[1] ?? '', ['serve', '--worker'], {
      serialization: 'advanced',
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
    this.#child = child;
    refuseLostSockets(child, () => this.#passNext());
    this.ended = new Promise((resolve) => {
      child.once('error', (error) => resolve(error.message));
      child.once('exit', (code, signal) => {
        this.#abandon();
        resolve(signal ?? `exit code ${code}`);
      });
    });
    this.started = new Promise((resolve) => {
      child.on('message', (message: ToMain) => {
        if (message.type === 'ready') resolve(undefined);
        else if (message.type === 'failed') resolve(message.message);
        else if (message.type === 'taken') this.#passNext();
        else if (message.type === 'seen') handlers.seen(message);
        else if (message.type === 'ask') handlers.ask(message.id, message.question);
        else this.#questions.settle(message.id, message.answer);
      });
      void this.ended.then((how) => resolve(`A worker process ended during its start (${how}).`));
    });
    this.send({ type: 'start', ...start });
  }

  send(message: ToWorker): void {
    // A message to a worker that has just ended is dropped. The promise `ended` reports the end of the worker.
    if (this.#child.connected) this.#child.send(message, () => {});
  }

  /** Resolves to undefined if the worker does not answer in time. */
  ask(question: Question): Promise<Answer | undefined> {
    return this.#questions.ask(question, (message) => this.send(message));
  }

  pass(socket: Socket, arrived: Arrived): void {
    if (this.#hasEnded || !this.#child.connected) {
      socket.destroy();
      return;
    }
    this.#waiting.add({ socket, arrived, close: closerOf(socket) });
    if (!this.#sent) this.#passNext();
  }

  /** Tells the worker to stop after it has taken all waiting connections. */
  stop(): void {
    this.#stops = true;
    if (!this.#sent) this.#passNext();
  }

  /**
   * Passes one connection at a time. If Node queued the connections, all other messages to the worker would wait behind
   * them, and Node would copy its whole queue after each connection.
   */
  #passNext(): void {
    const [next] = this.#waiting;
    this.#sent = next;
    if (next) {
      this.#waiting.delete(next);
      const message: ToWorker = { type: 'connection', ...next.arrived };
      this.#child.send(message, next.socket, { keepOpen: false }, (error) => {
        if (!error) return;
        next.close();
        this.#passNext();
      });
    } else if (this.#stops) this.send({ type: 'stop' });
  }

  kill(): void {
    this.#child.kill('SIGKILL');
  }

  #abandon(): void {
    this.#hasEnded = true;
    this.#sent?.close();
    for (const { close } of this.#waiting) close();
    this.#questions.giveUp();
  }
}
