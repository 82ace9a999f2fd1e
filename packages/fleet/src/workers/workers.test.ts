import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Answer, Question, Start, ToWorker } from './messages.ts';
import { Workers } from './workers.ts';

interface Handlers {
  readonly ask: (id: number, question: Question) => void;
}

const launched = vi.hoisted((): FakeWorker[] => []);

interface FakeWorker {
  readonly handlers: Handlers;
  readonly asked: Question[];
  readonly sent: ToWorker[];
}

vi.mock('./worker-process.ts', () => ({
  WorkerProcess: class implements FakeWorker {
    readonly started = Promise.resolve(undefined);
    readonly ended = new Promise<string>(() => {});
    readonly asked: Question[] = [];
    readonly sent: ToWorker[] = [];
    readonly handlers: Handlers;

    constructor(_start: Start, handlers: Handlers) {
      this.handlers = handlers;
      launched.push(this);
    }

    async ask(question: Question): Promise<Answer> {
      this.asked.push(question);
      const isReady = { ready: true, reasons: [] };
      return question === 'health' ? isReady : '# HELP a A.\n# TYPE a gauge\na 1\n';
    }

    send(message: ToWorker): void {
      this.sent.push(message);
    }
  },
}));

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test.each(['health', 'metrics'] as const)(
  'while every worker is flooded with questions about its %s, each worker is asked once a second',
  async (question) => {
    launched.length = 0;
    const start = { workers: 3, port: 1, connection: '', rootKeys: [], ticketKeys: new Uint8Array() };
    await new Workers(start, () => {}).start();
    let last = 0;
    const flood = (): void => {
      for (const { handlers } of launched) {
        for (let nth = 0; nth < 50; nth++) handlers.ask(++last, question);
      }
    };
    for (let tenth = 0; tenth < 30; tenth++) {
      flood();
      await vi.advanceTimersByTimeAsync(100);
    }
    await vi.advanceTimersByTimeAsync(1_000);
    for (const { asked, sent } of launched) {
      expect(asked.filter((one) => one === question).length).toBeLessThanOrEqual(4);
      expect(sent.filter(({ type }) => type === 'answer')).toHaveLength(1_500);
    }
  },
);
