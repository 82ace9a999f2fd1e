// What users can import. Each name is one more to learn, and stays after the first release.
import { posix } from 'node:path';
import { expect, test } from 'vitest';
import { files } from './files.ts';

/** May only go down, but for a feature that brings its own names. */
const mostNames = 278;
const packages = ['sdk', 'local', 'migrate', 'audit', 'drizzle', 'prisma'];

const textOf = (path: string): string => files.find((file) => file.path === path)?.text ?? '';

/** The files of the entries of a package, by the name under which users import them. */
function entriesOf(name: string): [string, string][] {
  const { exports } = JSON.parse(textOf(`packages/${name}/package.json`)) as {
    exports: Record<string, { '@eaas/source'?: string | { default: string } }>;
  };
  return Object.entries(exports).flatMap(([subpath, { '@eaas/source': source }]) => {
    if (source === undefined) return [];
    const file = typeof source === 'string' ? source : source.default;
    return [[`@eaas/${name}${subpath.slice(1)}`, posix.join('packages', name, file)] as [string, string]];
  });
}

const specifiers = new Map(['protocol', ...packages].flatMap(entriesOf));

/** The names that a file exports, and the comment of each where it is declared. */
function namesOf(path: string): Map<string, string> {
  const text = textOf(path);
  const found = new Map<string, string>();
  const inFile = (specifier: string) =>
    namesOf(specifiers.get(specifier) ?? posix.join(posix.dirname(path), specifier));
  for (const [, list = '', from = ''] of text.matchAll(/^export (?:type )?\{([^}]*)\} from '([^']+)'/gm)) {
    const exported = inFile(from);
    for (const [, own = '', as = own] of list.matchAll(/(?:type )?(\w+)(?: as (\w+))?/g))
      found.set(as, exported.get(own) ?? '');
  }
  for (const [, from = ''] of text.matchAll(/^export \* from '([^']+)'/gm))
    for (const [name, comment] of inFile(from)) found.set(name, comment);
  const declared =
    /(\/\*\*(?:(?!\*\/).)*\*\/\n)?^export (?:async |abstract )?(?:const|class|function\*?|interface|type) (\w+)/gms;
  for (const [, comment = '', name = ''] of text.matchAll(declared))
    found.set(name, found.get(name) || comment);
  return found;
}

const names = packages.map((name) => {
  const entries = entriesOf(name).filter(([specifier]) => !specifier.endsWith('/internal'));
  return [name, new Map(entries.flatMap(([, path]) => Array.from(namesOf(path))))] as const;
});

test('users have no more names to learn', () => {
  const all = names.flatMap(([name, own]) => Array.from(own.keys(), (of) => `${name}: ${of}`));
  expect(all.slice(mostNames)).toEqual([]);
  expect(all.length).toBeGreaterThan(200);
});

test('each name has a sentence', () => {
  const silent = names.flatMap(([name, own]) =>
    Array.from(own).flatMap(([of, comment]) => (/\.\s*(?:\n|\*\/)/.test(comment) ? [] : [`${name}: ${of}`])),
  );
  expect(silent).toEqual([]);
});
