import type { Options, Parsed } from './options.ts';
import type { Progress } from './progress.ts';

/** The arguments, the progress line and the abort signal of a running command. */
export interface Run {
  readonly parsed: Parsed;
  /** SIGINT, SIGTERM and an error that ends the command abort this controller. */
  readonly stop: AbortController;
  readonly progress: Progress;
}

export interface Command {
  readonly name: string;
  /** The arguments after the options, as the help text shows them. */
  readonly operand: string;
  readonly about: string;
  readonly options: Options;
  readonly examples: readonly string[];
  /** Runs the command. Returns the number of files that failed. */
  readonly run: (run: Run) => Promise<number>;
}
