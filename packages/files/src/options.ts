import { parseArgs } from 'node:util';
import { nearestOf } from '@eaas/protocol/internal';
import { WrongUsage } from './failure.ts';

interface Option {
  readonly about: string;
  readonly value?: string;
  readonly short?: string;
  readonly multiple?: true;
}

export interface Parsed {
  readonly paths: readonly string[];
  isSet(name: string): boolean;
  all(name: string): readonly string[];
  one(name: string): string | undefined;
}

export type Options = Readonly<Record<string, Option>>;

export function parseOptions(options: Options, words: readonly string[]): Parsed {
  const config = Object.entries(options).map(([name, { value, short }]) => {
    const type = value === undefined ? ('boolean' as const) : ('string' as const);
    return [name, { type, multiple: true, ...(short === undefined ? {} : { short }) }] as const;
  });
  const { tokens } = parseArgs({
    args: [...words],
    options: Object.fromEntries(config),
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
  const paths: string[] = [];
  const values = new Map<string, string[]>();
  for (const token of tokens) {
    if (token.kind === 'positional') paths.push(token.value);
    if (token.kind !== 'option') continue;
    const { name, rawName, value, inlineValue } = token;
    const option = Object.hasOwn(options, name) ? options[name] : undefined;
    if (!option)
      throw unknown(
        'option',
        rawName,
        Object.keys(options).map((known) => `--${known}`),
      );
    requireValue(option, rawName, value, inlineValue === true);
    const before = values.get(name) ?? [];
    if (before.length > 0 && option.value !== undefined && !option.multiple) {
      throw new WrongUsage(`The option ${rawName} can be passed only once.`);
    }
    values.set(name, [...before, value ?? '']);
  }
  return {
    paths,
    isSet: (name) => values.has(name),
    all: (name) => values.get(name) ?? [],
    one: (name) => values.get(name)?.[0],
  };
}

export function unknown(what: string, name: string, known: readonly string[]): WrongUsage {
  const nearest = nearestOf(known, name);
  const advice = nearest === undefined ? '' : `\n(Did you mean ${nearest}?)`;
  return new WrongUsage(
    `error: unknown ${what} '${name}'${advice}\n(\`--help\` shows how to use the command)`,
  );
}

function requireValue(option: Option, name: string, value: string | undefined, isInline: boolean): void {
  if (option.value === undefined) {
    if (isInline) throw new WrongUsage(`${name} takes no value.`);
    return;
  }
  if (value !== undefined && value !== '' && (isInline || value === '-' || !value.startsWith('-'))) return;
  throw new WrongUsage(`The option ${name} needs a value: pass ${name} <${option.value}>.`);
}
