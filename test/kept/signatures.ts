// The signatures of all that users import, read from the declarations of the build: the members of a type, the parameters and the
// result of a function, the cases of a union. Each is one promise, so that a new member or parameter breaks none.
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { libraries } from '@eaas/test-kit/published';
import { requireTools } from '@eaas/test-kit/tools';
import { publicNames } from '../house-rules/exports.ts';
import type { Promises } from './promises.ts';

type Part = 'name' | 'type' | 'typeName' | 'expression' | 'exprName' | 'initializer' | 'questionToken';

/** What is used of TypeScript's own nodes. The compiler of this repository has no interface for programs. */
interface Node
  extends
    Partial<Record<Part, Node>>,
    Partial<
      Record<
        'members' | 'parameters' | 'typeParameters' | 'types' | 'modifiers' | 'heritageClauses',
        readonly Node[]
      >
    > {
  readonly kind: number;
  getText(): string;
  getSourceFile(): { readonly fileName: string };
}

interface Declared {
  readonly name: string;
  readonly flags: number;
  readonly declarations?: readonly Node[];
}

interface Program {
  getSourceFile(file: string): Node | undefined;
  getTypeChecker(): {
    getSymbolAtLocation(node: Node): Declared | undefined;
    getExportsOfModule(module: Declared): readonly Declared[];
    getAliasedSymbol(symbol: Declared): Declared;
  };
}

type Kind = 'UnionType' | 'PrivateKeyword' | 'ProtectedKeyword' | 'InterfaceDeclaration' | 'ClassDeclaration';

interface TypeScript {
  readonly SyntaxKind: Readonly<Record<Kind, number>>;
  readonly SymbolFlags: { readonly Alias: number };
  createProgram(files: readonly string[], options: object): Program;
  forEachChild(node: Node, visit: (child: Node) => void): void;
}

const promised = new Set(['protocol', ...publicNames.map(([name]) => name)].map((name) => `@eaas/${name}`));

function entriesOf(library: (typeof libraries)[number]): [entry: string, path: string][] {
  const { name, manifest, directory } = library;
  type Entries = Record<string, { readonly types?: string | { readonly default: string } }>;
  return Object.entries(manifest.exports as Entries).flatMap(([subpath, { types }]) => {
    if (types === undefined || subpath.startsWith('./internal') || !promised.has(name)) return [];
    return [[name + subpath.slice(1), join(directory, typeof types === 'string' ? types : types.default)]];
  });
}

/** By the name of what is promised: the cases of its type. */
export async function signatures(): Promise<Promises[string]> {
  const file = join(await requireTools('test/tools/typescript'), 'typescript-5.8/lib/typescript.js');
  const { default: ts } = (await import(pathToFileURL(file).href)) as { default: TypeScript };
  const entries = libraries.flatMap(entriesOf);
  const paths = entries.map(([, path]) => path);
  const program = ts.createProgram(paths, {
    module: 99,
    moduleResolution: 100,
    target: 99,
    skipLibCheck: true,
  });
  const checker = program.getTypeChecker();
  const { InterfaceDeclaration, ClassDeclaration } = ts.SyntaxKind;
  const all: Record<string, string[]> = {};
  const [exported, seen] = [new Set<Declared>(), new Set<Declared>()];

  const resolved = (symbol: Declared): Declared =>
    symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
  const add = (name: string, symbol: Declared) => {
    for (const declared of symbol.declarations ?? []) {
      for (const [at, cases] of promisesOf(ts, declared)) (all[name + at] ??= []).push(...cases);
    }
  };
  const follow = (node: Node): void => {
    if (isHidden(ts, node)) return;
    const name = node.typeName ?? node.exprName ?? node.expression;
    const symbol = name && checker.getSymbolAtLocation(name);
    if (symbol) visit(resolved(symbol));
    ts.forEachChild(node, follow);
  };
  // The interfaces and classes that a declaration names are promised too, also if no entry exports them.
  const visit = (symbol: Declared): void => {
    const [declared] = symbol.declarations ?? [];
    const [, folder] = /\/packages\/(\w+)\/dist\//.exec(declared?.getSourceFile().fileName ?? '') ?? [];
    if (folder === undefined || seen.has(symbol)) return;
    seen.add(symbol);
    const isShape = declared?.kind === InterfaceDeclaration || declared?.kind === ClassDeclaration;
    if (isShape && !exported.has(symbol)) add(`${folder}: ${symbol.name}`, symbol);
    if (isShape || exported.has(symbol)) for (const each of symbol.declarations ?? []) follow(each);
  };

  for (const [entry, path] of entries) {
    const source = program.getSourceFile(path);
    const module = source && checker.getSymbolAtLocation(source);
    if (!module) throw new Error(`the build has no ${path}: run \`npm run build\``);
    for (const each of checker.getExportsOfModule(module)) {
      const symbol = resolved(each);
      exported.add(symbol);
      // The document of the HTTP API has the endpoints.
      if (each.name !== 'endpoints') add(`${entry} ${each.name}`, symbol);
    }
  }
  for (const symbol of exported) visit(symbol);
  return all;
}

const textOf = (node: Node): string =>
  node
    .getText()
    .replaceAll(/(?:\/\*[^]*?\*\/|\s)+/g, ' ')
    .trim();

const isHidden = ({ SyntaxKind }: TypeScript, { modifiers, name }: Node): boolean =>
  /^(?:#|\[(?!Symbol\.))/.test(name?.getText() ?? '') ||
  modifiers?.some(
    ({ kind }) => kind === SyntaxKind.PrivateKeyword || kind === SyntaxKind.ProtectedKeyword,
  ) === true;

/** The promises of a declaration, under their paths from it. */
function* promisesOf(ts: TypeScript, node: Node, at = ''): Generator<readonly [string, readonly string[]]> {
  if (isHidden(ts, node)) return;
  const {
    type,
    members = type?.members ?? [],
    parameters = [],
    typeParameters = [],
    heritageClauses = [],
  } = node;
  yield [at, [...typeParameters.map((of) => `<${textOf(of)}>`), ...heritageClauses.map(textOf)]];
  // What a call must pass may not become more.
  const passed = node.parameters ?? (node.name?.getText().endsWith('Options') ? members : undefined);
  const least = passed?.filter((of) => !of.questionToken).length ?? 0;
  if (passed) yield [at, [...passed, 'all'].flatMap((_, nth) => (nth < least ? [] : [`takes ${nth}`]))];
  if (node.initializer) yield [at, [textOf(node.initializer)]];
  for (const member of members) {
    yield* promisesOf(ts, member, `${at}.${member.name ? textOf(member.name) : ''}`);
  }
  for (const [nth, parameter] of parameters.entries()) yield* promisesOf(ts, parameter, `${at}(${nth})`);
  if (!type || type.members) return;
  yield [at, type.kind === ts.SyntaxKind.UnionType ? (type.types ?? []).map(textOf) : [textOf(type)]];
}
