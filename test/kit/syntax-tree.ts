// The syntax tree of a file of JavaScript or TypeScript, for tests that judge code by what it is and not by its text.
import { parseSync } from 'vite';

export interface SyntaxNode {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [member: string]: unknown;
}

const isSyntaxNode = (value: unknown): value is SyntaxNode =>
  typeof value === 'object' && value !== null && typeof (value as SyntaxNode).type === 'string';

/** Yields all nodes of a file, each before those within it. */
export function* nodesOf(path: string, source: string): Generator<SyntaxNode, void, undefined> {
  const waiting: SyntaxNode[] = [parseSync(path, source).program as unknown as SyntaxNode];
  for (let node = waiting.pop(); node; node = waiting.pop()) {
    yield node;
    for (const child of Object.values(node).flat().toReversed()) if (isSyntaxNode(child)) waiting.push(child);
  }
}
