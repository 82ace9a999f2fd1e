import { note } from './kit.ts';
import { inLine } from '@eaas/protocol/internal';
import type { Run } from './command.ts';
import { fileFailureOf } from './failure.ts';
import { type Input, standard } from './inputs.ts';

export async function forEachFile<Item>(
  { stop, progress }: Pick<Run, 'stop' | 'progress'>,
  items: readonly Item[],
  inputOf: (item: Item) => Input,
  work: (item: Item) => Promise<void>,
  atOnce = 8,
): Promise<number> {
  let failures = 0;
  const queue = items.values();
  const one = async (item: Item): Promise<void> => {
    try {
      await work(item);
      progress.finishFile();
    } catch (error) {
      stop.signal.throwIfAborted();
      const message = fileFailureOf(error);
      if (message === undefined) {
        stop.abort(error);
        throw error;
      }
      failures++;
      progress.clearLine();
      note(`${inLine(nameOf(inputOf(item)))}: ${message}`);
    }
  };
  const worker = async (): Promise<void> => {
    for (const item of queue) {
      stop.signal.throwIfAborted();
      await one(item);
    }
  };
  const results = await Promise.allSettled(Array.from({ length: atOnce }, worker));
  progress.clearLine();
  // Throws only after the work on all files has ended. An earlier exit would leave temporary files.
  for (const result of results) if (result.status === 'rejected') throw result.reason;
  return failures;
}

export function nameOf({ path }: Input): string {
  return path === standard ? 'standard input' : path;
}

export function expectAll({ progress }: Pick<Run, 'progress'>, inputs: readonly Input[]): void {
  const sizes = inputs.map(({ size }) => size);
  const isKnown = sizes.every((size) => size !== undefined);
  progress.expect(
    isKnown ? sizes.reduce((sum: number, size) => sum + (size ?? 0), 0) : undefined,
    inputs.length,
  );
}
