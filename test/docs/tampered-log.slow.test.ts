import { join } from 'node:path';
import { expect, test } from 'vitest';
import { blocksOf, read, root } from '@eaas/test-kit/markdown';
import { eaas, run } from '@eaas/test-kit/program';

const page = read('packages/sdk/docs/proof.md');
const npx = 'npx --no-install @eaas/cli ';

function outputAfter(command: string): string {
  const [, rest = ''] = page.split(`\n${command}\n\`\`\`\n`);
  return blocksOf(rest, '')[0] ?? '';
}

test('the commands of the page about a changed log print what the page says', async () => {
  const commands = blocksOf(page, 'sh').map((block) => block.trim());
  expect(commands).toHaveLength(2);
  const codes: (number | null)[] = [];
  for (const command of commands) {
    expect(command.startsWith(npx)).toBe(true);
    const words = command.slice(npx.length).split(' ');
    const paths = words.map((word) => (word.startsWith('examples/') ? join(root, word) : word));
    const { code, stdout, stderr } = await run([...eaas, ...paths], {});
    codes.push(code);
    expect(`${stdout}${stderr}`.trim()).toBe(outputAfter(command).trim());
  }
  expect(codes).toEqual([0, 1]);
});
