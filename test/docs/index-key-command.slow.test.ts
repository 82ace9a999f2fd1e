import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { blocksOf, read, root } from '@eaas/test-kit/markdown';
import { openTerminal } from '@eaas/test-kit/terminal';

const service = '@eaas/test-kit/played-service';

test('the command in fields.md prints an index key that the app can use', async () => {
  const place = join(root, 'node_modules', '.cache', 'index-key-command');
  mkdirSync(place, { recursive: true });
  onTestFinished(() => rmSync(place, { recursive: true, force: true }));
  writeFileSync(join(place, '.env'), '');
  const terminal = await openTerminal(place);
  onTestFinished(() => terminal.close());
  await terminal.type(
    `node() { command node --conditions=@eaas/source --import tsx --import '${service}' "$@"; }`,
  );
  const [command = ''] = blocksOf(read('packages/sdk/docs/fields.md'), 'sh');
  const { output, failed } = await terminal.type(command);
  expect({ output, failed }).toEqual({
    output: expect.stringMatching(/^EAAS_INDEX_KEY=eaas_ik_1\.\S+\n$/) as string,
    failed: [],
  });
});
