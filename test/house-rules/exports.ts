// What users can import, read from the sources: the entries of the packages and the names that they export.
import { posix } from 'node:path';
import { files } from './files.ts';

export interface Exported {
  /** The comment where the name is declared. Empty if it has none. */
  readonly comment: string;
  /** Whether a program can use it, as a function, a class or an object. */
  readonly isValue: boolean;
}

const packages = ['sdk', 'local', 'migrate', 'audit', 'drizzle', 'prisma', 'kysely'];

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

/** The names that a file exports. */
function namesOf(path: string): Map<string, Exported> {
  const text = textOf(path);
  const found = new Map<string, Exported>();
  const inFile = (specifier: string) =>
    namesOf(specifiers.get(specifier) ?? posix.join(posix.dirname(path), specifier));
  for (const [, list = '', from = ''] of text.matchAll(/^export (?:type )?\{([^}]*)\} from '([^']+)'/gm)) {
    const exported = inFile(from);
    for (const [, own = '', as = own] of list.matchAll(/(?:type )?(\w+)(?: as (\w+))?/g)) {
      found.set(as, exported.get(own) ?? { comment: '', isValue: false });
    }
  }
  for (const [, from = ''] of text.matchAll(/^export \* from '([^']+)'/gm)) {
    for (const [name, exported] of inFile(from)) found.set(name, exported);
  }
  const declared =
    /(\/\*\*(?:(?!\*\/).)*\*\/\n)?^export (?:async |abstract )?(const|class|function\*?|interface|type) (\w+)/gms;
  for (const [, comment = '', kind = '', name = ''] of text.matchAll(declared)) {
    // The first of several signatures has the comment.
    if (!found.get(name)?.comment) found.set(name, { comment, isValue: !/^(?:interface|type)$/.test(kind) });
  }
  return found;
}

const isForUs = (specifier: string): boolean => /\/internal\b/.test(specifier);

/** The names of a package that it promises to users, or else those for the other packages of Eaas. */
export function namesIn(name: string, isInternal = false): Map<string, Exported> {
  const entries = entriesOf(name).filter(([specifier]) => isForUs(specifier) === isInternal);
  return new Map(entries.flatMap(([, path]) => Array.from(namesOf(path))));
}

export const publicNames = packages.map((name) => [name, namesIn(name)] as const);
