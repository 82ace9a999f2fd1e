// What Eaas promises beside stored data, as lists: the HTTP API, names, commands, exit codes, metrics, variables and problems. Each
// promise has a name, and the alternatives that it allows: there may be more of them later, but none may go.
import { openApiDocument } from '@eaas/protocol/internal-reference';
import { problems } from '@eaas/protocol/wire';
import { leaves } from '@eaas/test-kit/cli';
import { exitCodes } from '../../packages/cli/src/failure.ts';
import { program } from '../../packages/cli/src/program.ts';
import { variablesOf } from '../../packages/cli/src/variables.ts';
import { decrypt } from '../../packages/files/src/decrypt.ts';
import { encrypt } from '../../packages/files/src/encrypt.ts';
import { exportKey } from '../../packages/files/src/export-key.ts';
import { exitCodes as exitCodesOfFiles } from '../../packages/files/src/failure.ts';
import { inspect } from '../../packages/files/src/inspect.ts';
import { rewrap } from '../../packages/files/src/rewrap.ts';
import { help as ofLocal } from '../../packages/local/src/command.ts';
import { all as commandsOfMigrate } from '../../packages/migrate/src/command.ts';
import { metrics } from '../docs/generated.ts';
import { namesIn, publicNames } from '../house-rules/exports.ts';

type Promised = readonly [name: string, alternatives: readonly string[]];

/** By the kind of a promise, and its name. */
export type Promises = Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>;

export function promises(): Promises {
  const kinds: Readonly<Record<string, readonly Promised[]>> = {
    'HTTP API': leavesOf(openApiDocument()),
    names: [...publicNames, ['protocol', namesIn('protocol')] as const].flatMap(([name, own]) =>
      Array.from(own.keys(), (each): Promised => [`@eaas/${name} ${each}`, []]),
    ),
    commands: [
      ...leaves(program).flatMap(([name, { options, registeredArguments }]) =>
        commandOf(
          name,
          options,
          registeredArguments.filter(({ required }) => required).map((argument) => argument.name()),
        ),
      ),
      ...[encrypt, decrypt, inspect, rewrap, exportKey].flatMap(({ name, options }) =>
        commandOf(`eaas-files ${name}`, options),
      ),
      ...[ofLocal, ...commandsOfMigrate.map(({ help }) => help)].flatMap(linesOfHelp),
    ],
    'exit codes': Object.entries({ eaas: exitCodes, 'eaas-files': exitCodesOfFiles }).flatMap(([of, codes]) =>
      Object.entries(codes).map(([name, code]): Promised => [`${of}: ${name}`, [String(code)]]),
    ),
    metrics: metrics().map(({ name, type, labelNames }) => [name, [type, ...labelNames]]),
    variables: Object.values(variablesOf).flatMap((rows) =>
      rows.map(({ name, otherwise }): Promised => [name, [otherwise]]),
    ),
    problems: Object.entries(problems).map(([code, { status, title }]) => [code, [`${status} ${title}`]]),
  };
  return Object.fromEntries(Object.entries(kinds).map(([kind, all]) => [kind, Object.fromEntries(all)]));
}

type Option = (typeof encrypt.options)[number];

/** What a command demands is one alternative: it may not become more. */
function commandOf(name: string, options: readonly Option[], given: readonly string[] = []): Promised[] {
  const demands = options.flatMap(({ mandatory, flags }) => (mandatory ? flags : []));
  return [
    [name, [`needs ${[...demands, ...given].join(', ') || 'nothing'}`]],
    ...options.map(({ flags, defaultValue }): Promised => {
      return [`${name} ${flags}`, defaultValue === undefined ? [] : [JSON.stringify(defaultValue)]];
    }),
  ];
}

/** The commands and options in a help, with the default that it tells. */
function linesOfHelp(help: string): Promised[] {
  const [, usage = '', command = ''] = /^Usage: ((.*?)(?: [<…].*)?)$/m.exec(help) ?? [];
  const [described = ''] = help.split('Examples:');
  const lines = described.matchAll(/^ {2}((?:-\w, )?[\w-]+(?: <[^>]+>)*)(.*(?:\n {6,}.*)*)/gm);
  return [
    [usage, []],
    ...Array.from(lines, ([, flags, about = '']): Promised => [
      `${command} ${flags}`,
      about.match(/\(default.*?\)/) ?? [],
    ]),
  ];
}

/** What explains, and promises nothing. */
const explaining = new Set(['description', 'summary', 'example', 'info', 'tags', 'operationId', 'servers']);

/** Each leaf of a document, by the path to it. The elements of a list are alternatives, unless they have names. */
function leavesOf(node: unknown, path = ''): Promised[] {
  if (Array.isArray(node)) {
    const [named, others] = [node.filter(nameIn), node.filter((each) => nameIn(each) === undefined)];
    const texts = others.map((each: unknown) => JSON.stringify(each));
    // What a request needs may not become more.
    const isDemand = path.endsWith(' required') && path.includes(' requestBody ');
    return [
      ...named.flatMap((each: unknown) => leavesOf(each, `${path} ${nameIn(each)}`)),
      [path, isDemand ? [texts.join()] : texts],
    ];
  }
  if (typeof node !== 'object' || node === null) return [[path, [String(node)]]];
  return Object.entries(node).flatMap(([name, each]) =>
    explaining.has(name) && !path.endsWith(' properties') ? [] : leavesOf(each, `${path} ${name}`.trim()),
  );
}

const nameIn = (node: unknown): string | undefined => (node as { readonly name?: string } | null)?.name;

/** What is promised in `kept` and not any more: a sentence for each. */
export function brokenPromises(kept: Promises, present: Promises, version: string): string[] {
  return Object.entries(kept).flatMap(([kind, all]) =>
    Object.entries(all).flatMap(([name, alternatives]) => {
      const now = present[kind]?.[name];
      if (now === undefined) return [`${version} has promised (${kind}): ${name}. It is gone.`];
      const gone = alternatives.filter((each) => !now.includes(each));
      return gone.map(
        (each) => `${version} has promised (${kind}): ${name}, ${each}. It is ${now.join(' or ')} now.`,
      );
    }),
  );
}
