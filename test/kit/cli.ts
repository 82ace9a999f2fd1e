// What tests of other packages use of the inside of @eaas/cli.
export { readConfig } from '../../packages/cli/src/config.ts';

interface Tree<Node> {
  readonly commands: readonly Node[];
  name(): string;
}

/** Returns the commands that do something, by their full names. */
export function leaves<Node extends Tree<Node>>(from: Node, path = 'eaas'): (readonly [string, Node])[] {
  if (from.commands.length === 0) return [[path, from]];
  return from.commands.flatMap((each) => leaves(each, `${path} ${each.name()}`));
}
