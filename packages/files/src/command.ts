import type { Options, Parsed } from './options.ts';
import type { Progress } from './progress.ts';

export interface Run {
  readonly parsed: Parsed;
  readonly stop: AbortController;
  readonly progress: Progress;
}

export interface Command {
  readonly name: string;
  readonly operand: string;
  readonly about: string;
  readonly options: Options;
  readonly examples: readonly string[];
  readonly run: (run: Run) => Promise<number>;
}
