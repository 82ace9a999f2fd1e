import { setMaxListeners } from 'node:events';
import manifest from '../package.json' with { type: 'json' };
import type { Command } from './command.ts';
import { completionOf } from './completion.ts';
import { decrypt } from './decrypt.ts';
import { encrypt } from './encrypt.ts';
import { exportKey } from './export-key.ts';
import { exitCodes, exitCodesHelp, failureOf, WrongUsage } from './failure.ts';
import { commandHelp, programHelp } from './help.ts';
import { inspect, keys } from './inspect.ts';
import { parseOptions, unknown } from './options.ts';
import { note } from './output.ts';
import { createProgress } from './progress.ts';
import { rewrap } from './rewrap.ts';

const work: readonly Command[] = [encrypt, decrypt, inspect, keys, rewrap, exportKey];
const commands: readonly Command[] = [...work, completionOf(work)];
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
    const failures = await start(words, stop);
    return interrupted ?? (failures === 0 ? exitCodes.ok : exitCodes.failed);
  } catch (error) {
    if (interrupted !== undefined) return interrupted;
    const { code, message } = failureOf(error);
    note(message);
    return code;
  }
}

async function start(words: readonly string[], stop: AbortController): Promise<number> {
  const [name, ...rest] = words;
  if (name === undefined) throw new WrongUsage(programHelp(commands).trimEnd());
  if (name === '-V' || name === '--version') return print(`${manifest.version}\n`);
  if (name === '-h' || name === '--help') return print(programHelp(commands));
  if (name === 'help') return print(helpOn(rest));
  const command = commands.find((each) => each.name === name);
  const known = [...commands.map((each) => each.name), 'help', '--version', '--help'];
  if (!command) throw unknown(name.startsWith('-') ? 'option' : 'command', name, known);
  const parsed = parseOptions({ ...command.options, help: { short: 'h', about: '' } }, rest);
  if (parsed.isSet('help')) return print(commandHelp(command));
  const progress = createProgress(parsed.isSet('quiet'));
  try {
    return await command.run({ parsed, stop, progress });
  } finally {
    progress.clearLine();
  }
}

function helpOn([topic, ...more]: readonly string[]): string {
  if (topic === undefined) return programHelp(commands);
  if (topic === 'exit-codes') return `${exitCodesHelp}\n`;
  const command = commands.find(({ name }) => name === topic);
  if (command && more.length === 0) return commandHelp(command);
  const line = [topic, ...more].join(' ');
  throw new WrongUsage(`There is no command \`eaas-files ${line}\`: \`eaas-files help\` lists the commands.`);
}

function print(text: string): number {
  process.stdout.write(text);
  return 0;
}
