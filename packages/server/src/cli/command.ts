import { Command } from 'commander';
import { type Config, readConfig } from '../config.ts';
import type { OpenService } from '../open-service.ts';
import { openService } from '../open-service.ts';
import { explainExitCodes } from './exit-codes.ts';
import { note } from './output.ts';

/** A command. The examples are what follows `eaas`. */
export function command(name: string, description: string, examples: readonly string[] = []): Command {
  const made = new Command(name)
    .description(description)
    .summary(description.replace(/\.( .*)?$/, ''))
    .helpOption('-h, --help', 'show this help')
    .helpCommand(false)
    .showHelpAfterError(`(\`--help\` shows how the command is used)`)
    .allowExcessArguments(false)
    .exitOverride();
  if (examples.length > 0) {
    made.addHelpText('after', `\nExamples:\n${examples.map((line) => `  eaas ${line}`).join('\n')}`);
  }
  return made.addHelpText('after', `\n${explainExitCodes()}`);
}

/** The same with --json. */
export function reporting(name: string, description: string, examples: readonly string[]): Command {
  return command(name, description, examples).option(
    '--json',
    'print one line of JSON per result, and nothing else',
  );
}

/** Commands under one name. */
export function group(name: string, description: string, commands: readonly Command[]): Command {
  const made = command(name, description);
  for (const each of commands) made.addCommand(each);
  return made;
}

/** The configuration, with what is to be said about it said. */
export function requireConfig(): Config {
  const config = readConfig();
  for (const warning of config.warnings) note(`Warning: ${warning}`);
  return config;
}

/** Opens the service for a piece of work, and closes it whatever becomes of that. */
export async function withService<T>(work: (open: OpenService) => Promise<T>): Promise<T> {
  const config = requireConfig();
  const open = await openService(config, 'command');
  try {
    return await work(open);
  } finally {
    await open.close();
  }
}
