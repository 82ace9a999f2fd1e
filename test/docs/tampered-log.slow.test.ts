import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { closing } from '@eaas/test-kit/closing';
import { blocksOf, read, root } from '@eaas/test-kit/markdown';
import { eaas } from '@eaas/test-kit/program';
import { openTerminal } from '@eaas/test-kit/terminal';

const page = read('examples/tampered-log/README.md');

function outputAfter(block: string): string {
  const [, rest = ''] = page.split(`\n${block}\`\`\`\n`);
  return blocksOf(rest, '')[0] ?? '';
}

test('the commands of the page about a changed log print what the page says', async () => {
  const terminal = await closing(openTerminal(root), (it) => it.close());
  const words = eaas.map((word) => `'${word}'`).join(' ');
  await terminal.type(`npx() { shift 2; ${words} "$@"; }`);
  const commands = blocksOf(page, 'sh');
  expect(commands).toHaveLength(2);
  const failed: number[] = [];
  for (const command of commands) {
    const typed = await terminal.type(command);
    expect(typed.output.trim()).toBe(outputAfter(command).trim());
    failed.push(typed.failed.length);
  }
  // The second command refuses the file.
  expect(failed).toEqual([0, 1]);
});

test('OpenSSL alone verifies the witnesses of the example', () => {
  const verify = (witness: string): string =>
    execFileSync('sh', ['examples/tampered-log/witness.sh', witness], { cwd: root, encoding: 'utf8' });
  for (const witness of ['north', 'south']) expect(verify(witness)).toBe('Signature Verified Successfully\n');
});
