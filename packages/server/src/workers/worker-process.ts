import { type ChildProcess, fork } from 'node:child_process';
import type { Socket } from 'node:net';
import type { Arrived, Seen, Start, ToMain, ToWorker } from './messages.ts';
import { Questions } from './questions.ts';
import { closerOf } from './socket-handle.ts';

interface Handlers {
  readonly seen: (seen: Seen) => void;
  readonly ask: (id: number, question: 'health' | 'metrics') => void;
}

export class WorkerProcess {
  /** Resolves to undefined when the worker accepts requests, or to the reason why it cannot start. */
  readonly started: Promise<string | undefined>;
  readonly ended: Promise<string>;
  readonly questions = new Questions();
  readonly #child: ChildProcess;
  /** Each function closes one connection that was not yet sent to the worker. */
  readonly #unsent = new Set<() => void>();
  /**
   * Closes the last connection that was sent to the worker. Node sends a connection only after the worker has received
   * the previous connection.
   */
  #closeLast: (() => void) | undefined;
  #hasEnded = false;

  constructor(start: Start, handlers: Handlers) {
    const child = fork(process.argv[1] ?? '', ['serve', '--worker'], {
      serialization: 'advanced',
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
    this.#child = child;
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
        else if (message.type === 'seen') handlers.seen(message);
        else if (message.type === 'ask') handlers.ask(message.id, message.question);
        else this.questions.settle(message.id, message.answer);
      });
      void this.ended.then((how) => resolve(`A worker process ended during its start (${how}).`));
    });
    this.send({ type: 'start', ...start });
  }

  send(message: ToWorker): void {
    // A message to a worker that has just ended is dropped. The promise `ended` reports the end of the worker.
    if (this.#child.connected) this.#child.send(message, () => {});
  }

  pass(socket: Socket, arrived: Arrived): void {
    if (this.#hasEnded || !this.#child.connected) {
      socket.destroy();
      return;
    }
    const close = closerOf(socket);
    this.#unsent.add(close);
    this.#child.send({ type: 'connection', ...arrived }, socket, { keepOpen: false }, (error) => {
      this.#unsent.delete(close);
      if (error || this.#hasEnded) close();
      else this.#closeLast = close;
    });
  }

  kill(): void {
    this.#child.kill('SIGKILL');
  }

  #abandon(): void {
    this.#hasEnded = true;
    for (const close of this.#unsent) close();
    this.#closeLast?.();
    this.questions.giveUp();
  }
}
