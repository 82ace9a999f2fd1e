// Makes commands that throw their errors instead of printing them, so that the program decides on message and exit code.
import { nearestOf } from '@eaas/protocol/internal';
import { Command } from 'commander';

/** The command line is wrong, for a reason that the parser does not know. */
export class WrongUsage extends Error {
  override readonly name = 'WrongUsage';
}

/** Makes a command. Its summary in a list of commands is the first sentence of the description. */
export function command(name: string, description: string, examples: readonly string[] = []): Command {
  const made = new Command(name)
    .description(description)
    .summary(description.replace(/\.( .*)?$/, ''))
    .helpOption('-h, --help', 'show this help')
    .helpCommand(false)
    .allowExcessArguments(false)
    .configureOutput({ outputError: () => {} })
    .exitOverride((error) => {
      const message = unknownOption(made, error.message) ?? error.message;
      throw Object.assign(error, { message: `${message}\n(\`--help\` shows how to use the command)` });
    });
  if (examples.length > 0) {
    made.addHelpText('after', `\nExamples:\n${examples.map((line) => `  ${line}`).join('\n')}`);
  }
  return made;
}

/**
 * Returns an error that names the unknown option, or undefined. Commander itself reports a misspelt required option
 * only as missing.
 */
function unknownOption({ args, options }: Command, error: string): string | undefined {
  const [unknown] = args.find((word) => word.startsWith('--'))?.split('=') ?? [];
  if (unknown === undefined || !error.startsWith('error: required option')) return undefined;
  const nearest = nearestOf(
    options.flatMap(({ long }) => long ?? []),
    unknown,
  );
  return `error: unknown option '${unknown}'${nearest === undefined ? '' : `\n(Did you mean ${nearest}?)`}`;
}

/**
 * Whether the error is from the parser. After `--help` and `--version`, the parser throws too, with the exit code 0.
 */
export function isParseError(error: unknown): error is Error & { readonly exitCode: number } {
  return error instanceof Error && 'code' in error && String(error.code).startsWith('commander.');
}
