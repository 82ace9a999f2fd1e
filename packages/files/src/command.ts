import type { Options, Parsed } from './options.ts';
import type { Progress } from './progress.ts';

/** The surroundings of a running command. */
export interface Run {
  readonly parsed: Parsed;
  /** Aborted by SIGINT and SIGTERM, and by an error that ends the command. */
  readonly stop: AbortController;
  readonly progress: Progress;
}

/** A command of the program. */
export interface Command {
  readonly name: string;
  /** What follows the options, for the help. */
  readonly operand: string;
  readonly about: string;
  readonly options: Options;
  readonly examples: readonly string[];
  /** Runs the command. Returns the number of files that failed. */
  readonly run: (run: Run) => Promise<number>;
}
