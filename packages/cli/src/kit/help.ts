// One `help` for `eaas` and `eaas-files`: of a command, or of the exit codes.
import type { Command } from 'commander';
import { command, WrongUsage } from './command.ts';

/** Makes the command `help`, which prints the help of a command, or the exit codes. */
export function helpCommand(exitCodes: string, examples: readonly string[]): Command {
  return command('help', 'Show the help of a command, or the exit codes of all commands.', examples)
    .argument('[topic...]', 'a command, or exit-codes')
    .action((topic: string[], _: object, self: Command) => {
      if (topic.join(' ') === 'exit-codes') {
        process.stdout.write(`${exitCodes}\n`);
        return;
      }
      let found = self.parent;
      for (const word of topic) found = found?.commands.find((each) => each.name() === word) ?? null;
      const program = self.parent?.name();
      if (!found) {
        throw new WrongUsage(
          `There is no command \`${program} ${topic.join(' ')}\`: \`${program} help\` lists the commands.`,
        );
      }
      found.outputHelp();
    });
}
