// What each command states about itself, from which the command line is built, and how its options take values.
import { WrongUsage } from './kit.ts';
import { Option } from 'commander';
import type { Progress } from './progress.ts';

export interface FileCommand {
  readonly name: string;
  readonly about: string;
  readonly options: readonly Option[];
  readonly examples: readonly string[];
  /** Whether files, folders or standard input are its input. */
  readonly takesPaths: boolean;
  /** Returns the number of files that failed, which decides the exit code. */
  readonly run: (run: Run) => Promise<number>;
}

export interface Run {
  readonly paths: readonly string[];
  readonly options: Options;
  readonly stop: AbortController;
  readonly progress: Progress;
}

/** The values of the options. Each command has some of them. */
export interface Options {
  readonly anyKey?: true;
  readonly context?: readonly string[];
  readonly exportedKey?: readonly string[];
  readonly force?: true;
  readonly insecureHttp?: true;
  readonly json?: true;
  readonly key?: string | readonly string[];
  readonly out?: string;
  readonly privateKey?: string;
  readonly publicKey?: string;
  readonly quiet?: true;
  readonly recursive?: true;
  readonly subject?: string;
  readonly subjects?: true;
}

/** An option without a value, or with a value that can be passed once. */
export function option(flags: string, about: string): Option {
  const made = new Option(flags, about);
  if (!made.required) return made;
  return made.argParser((value, before) => {
    requireValue(made, value);
    if (before !== undefined) throw new WrongUsage(`The option ${made.long} can be passed only once.`);
    return value;
  });
}

/** An option with a value that can be passed several times. */
export function repeatable(flags: string, about: string): Option {
  const made = new Option(flags, about);
  return made.argParser<readonly string[] | undefined>((value, before) => {
    requireValue(made, value);
    return [...(before ?? []), value];
  });
}

function requireValue({ long, flags }: Option, value: string): void {
  if (value !== '') return;
  throw new WrongUsage(`The option ${long} needs a value: pass ${long} ${flags.slice(flags.indexOf('<'))}.`);
}
