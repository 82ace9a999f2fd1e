// Puts the command line together, runs one command, and makes an exit code of its end, its error or a signal.
import { setMaxListeners } from 'node:events';
import { command, helpCommand, note, WrongUsage } from './kit.ts';
import type { Command } from 'commander';
import manifest from '../package.json' with { type: 'json' };
import type { FileCommand, Options } from './command.ts';
import { decrypt } from './decrypt.ts';
import { encrypt } from './encrypt.ts';
import { exportKey } from './export-key.ts';
import { exitCodes, exitCodesHelp, failureOf } from './failure.ts';
import { inspect } from './inspect.ts';
import { createProgress } from './progress.ts';
import { rewrap } from './rewrap.ts';

const name = 'eaas-files';
const signals = { SIGINT: 130, SIGTERM: 143 } as const;

export async function run(words: readonly string[]): Promise<number> {
  const stop = new AbortController();
  // Node.js warns if an AbortSignal has more than ten listeners. Each open file adds listeners, so the limit is
  // removed.
  setMaxListeners(0, stop.signal);
  let interrupted: number | undefined;
  for (const [signal, code] of Object.entries(signals)) {
    // `once` removes the handler after the first signal, so a second signal ends the process at once.
    process.once(signal, () => {
      interrupted = code;
      stop.abort(new Error('the command was interrupted'));
    });
  }
  try {
    let failures = 0;
    const program = programOf(async (work, made) => {
      const options: Options = made.opts();
      const progress = createProgress(options.quiet === true);
      try {
        failures = await work({ paths: made.args, options, stop, progress });
      } finally {
        progress.clearLine();
      }
    });
    requireValues(program, words);
    await program.parseAsync(words, { from: 'user' });
    return interrupted ?? (failures === 0 ? exitCodes.ok : exitCodes.failed);
  } catch (error) {
    if (interrupted !== undefined) return interrupted;
    const { code, message } = failureOf(error);
    if (message !== null) note(message);
    return code;
  }
}

type Start = (work: FileCommand['run'], made: Command) => Promise<void>;

function programOf(start: Start): Command {
  const program = command(name, 'Encrypt, decrypt and inspect files under the keys of a service.')
    .version(manifest.version, '-V, --version', 'print the version')
    .configureHelp({ subcommandTerm: (each) => `${each.name()} ${each.usage()}` })
    .addHelpText(
      'after',
      '\nEAAS_BASE_URL, EAAS_API_KEY and EAAS_KEY_ID name the service and the key, EAAS_HALF the half, if you have one.\n' +
        `\`${name} help exit-codes\` lists the exit codes.`,
    );
  for (const { name, about, options, examples, takesPaths, run: work } of [
    encrypt,
    decrypt,
    inspect,
    rewrap,
    exportKey,
  ]) {
    const made = command(name, about, examples);
    for (const option of options) made.addOption(option);
    if (takesPaths) made.argument('[path...]');
    program.addCommand(made.allowExcessArguments().action(() => start(work, made)));
  }
  const help = helpCommand(exitCodesHelp, [`${name} help encrypt`, `${name} help exit-codes`]);
  return program.addCommand(help.usage('[topic]').summary('show the help of a command, or the exit codes'));
}

/** Refuses another option as the value of an option, because the value was probably forgotten. */
function requireValues({ commands }: Command, [name, ...words]: readonly string[]): void {
  const options = commands.find((each) => each.name() === name)?.options ?? [];
  for (const [at, word] of words.entries()) {
    if (word === '--') return;
    const option = options.find((each) => each.required && (word === each.long || word === each.short));
    if (!option || !/^-./.test(words[at + 1] ?? '--')) continue;
    throw new WrongUsage(
      `The option ${word} needs a value: pass ${word} ${option.flags.split(/ (?=<)/)[1]}.`,
    );
  }
}
