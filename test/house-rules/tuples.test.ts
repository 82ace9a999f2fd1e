// Unrelated things do not share one declaration: an array is not made only to be taken apart again, but for a swap.
import { nodesOf, type SyntaxNode } from '@eaas/test-kit/syntax-tree';
import { expect, test } from 'vitest';
import { sources } from './files.ts';

function textsOf(source: string, node: SyntaxNode): string[] {
  return (node['elements'] as readonly (SyntaxNode | null)[]).map((element) =>
    element === null ? '' : source.slice(element.start, element.end),
  );
}

/** The lines of a file on which a list is made and taken apart in one statement. */
function tuplesIn({ path, text }: { readonly path: string; readonly text: string }): number[] {
  const lines: number[] = [];
  for (const node of nodesOf(path, text)) {
    const isDeclaration = node.type === 'VariableDeclarator';
    if (!isDeclaration && node.type !== 'AssignmentExpression') continue;
    const target = node[isDeclaration ? 'id' : 'left'] as SyntaxNode;
    const value = node[isDeclaration ? 'init' : 'right'] as SyntaxNode | null;
    if (target.type !== 'ArrayPattern' || value?.type !== 'ArrayExpression') continue;
    // A list of which some parts have a name, and the rest has one together.
    if ((target['elements'] as readonly SyntaxNode[]).some((element) => element?.type === 'RestElement')) {
      continue;
    }
    const isSwap = textsOf(text, target).toSorted().join() === textsOf(text, value).toSorted().join();
    if (!isSwap) lines.push(text.slice(0, node.start).split('\n').length);
  }
  return lines;
}

test('the rule sees declarations and assignments, and lets a swap be', () => {
  const text = 'const [a, b] = [1, 2];\n[a, b] = [b, a];\nlet c;\n[c, b] = [a, 1];\nconst [d] = list;\n';
  expect(tuplesIn({ path: 'made-up.ts', text })).toEqual([1, 4]);
});

test('no source declares unrelated things by one list', () => {
  const found = sources.flatMap((file) => tuplesIn(file).map((line) => `${file.path}:${line}`));
  expect(found).toEqual([]);
});
