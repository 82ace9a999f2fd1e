// The arguments of a command, by its help: the line `Usage` names what it takes, and each line that begins with `--` an option.
import { parseArgs, type ParseArgsConfig } from 'node:util';
import { InputError } from '@eaas/protocol';

/** Returns what reads the options, and the arguments. Throws InputError unless the help names as many (`…` is any number of them). */
export function parse(help: string, args: readonly string[]) {
  const options: NonNullable<ParseArgsConfig['options']> = {};
  for (const [, name = '', value] of help.matchAll(/^ {2}--([\w-]+)( <)?/gm)) {
    options[name] = { type: value ? 'string' : 'boolean', multiple: true };
  }
  const { values, positionals } = parseArgs({ args: [...args], allowPositionals: true, options });
  const [, usage = '', names = ''] = /migrate ((.*?)(?: --.*)?)$/m.exec(help) ?? [];
  const more = positionals.length - names.replaceAll(/[^<]/g, '').length;
  if (more < 0 || (more > 0 && !names.endsWith('…'))) throw new InputError(`pass \`${usage}\``);
  const texts = (name: string): string[] => [values[name] ?? []].flat().map(String);
  const text = (name: string): string | undefined => texts(name).at(-1);
  const list = (name: string) => text(name)?.split(/ *, */);
  const flag = (name: string): boolean => Object.hasOwn(values, name);
  return [{ text, texts, list, flag }, ...positionals] as const;
}
