// The doc comments of a source file, as rows for a table of a page.
import { read } from '@eaas/test-kit/markdown';

/** Returns the names of an interface's options, or of a union's texts, each with its comment. */
export function documentedIn(path: string, type: string): [name: string, meaning: string][] {
  const [, body = ''] = read(path).split(new RegExp(`export (?:interface|type) ${type}\\b`));
  const [own = ''] = body.split(/^\}?$/m, 1);
  const members = own.matchAll(/\/\*\*\s((?:(?!\*\/)[^])*?)\s+\*\/\n +(?:\| ')?(?:readonly )?(\w+)/g);
  return Array.from(members, ([, meaning = '', name = '']) => [
    name,
    meaning.replace(/\s*^ *\* /gm, ' ').trim(),
  ]);
}
