import type { Command } from 'commander';
import { command } from './command.ts';
import { exitCodesHelp, WrongUsage } from './failure.ts';

/** `eaas help`. Shows the help of a command, or the exit codes of all commands. */
export const helpCommand = command('help', 'Show the help of a command, or the exit codes of all commands.', [
  'help key create',
  'help exit-codes',
])
  .argument('[topic...]', 'a command, or exit-codes')
  .action((topic: string[], _: object, self: Command) => {
    if (topic.join(' ') === 'exit-codes') {
      process.stdout.write(`${exitCodesHelp}\n`);
      return;
    }
    let found = self.parent;
    for (const word of topic) found = found?.commands.find((each) => each.name() === word) ?? null;
    if (!found) {
      throw new WrongUsage(
        `There is no command \`eaas ${topic.join(' ')}\`: \`eaas help\` lists the commands.`,
      );
    }
    found.outputHelp();
  });
