import { appendFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { eaas, run } from '@eaas/test-kit/program';
import { blocksOf, read, root } from '@eaas/test-kit/markdown';

const page = read('packages/sdk/docs/audit.md');
const place = join(root, 'node_modules', '.cache', 'written-log');

beforeAll(() => mkdirSync(place, { recursive: true }));
afterAll(() => rmSync(place, { recursive: true, force: true }));

test('the command in audit.md verifies the file that the code in audit.md writes', async () => {
  const code = blocksOf(page, 'ts').find((block) => block.includes('acme.ndjson')) ?? '';
  const program = [
    "import { writeFile } from 'node:fs/promises';",
    "import { eaas, service } from '@eaas/test-kit/played-service';",
    // A page of `audit.list` has 100 entries.
    "for (let key = 0; key < 120; key++) await service.createKey('customers ' + key);",
    code,
    'console.log(signed.verifier_key);',
  ];
  writeFileSync(join(place, 'program.mts'), program.join('\n'));
  const node = [process.execPath, '--conditions=@eaas/source', '--import', 'tsx', 'program.mts'];
  const written = await run(node, {}, { cwd: place });
  expect(written).toMatchObject({ code: 0, stderr: '' });

  const typed = blocksOf(page, 'sh').find((block) => block.includes('verify-file')) ?? '';
  const [npx, noInstall, server, ...words] = typed.trim().replaceAll("'", '').split(' ');
  expect([npx, noInstall, server]).toEqual(['npx', '--no-install', '@eaas/cli']);
  const command = [...eaas, ...words.slice(0, -1), written.stdout.trim()];
  const verify = () => run(command, {}, { cwd: place });
  expect(await verify()).toEqual({
    code: 0,
    stdout: expect.stringMatching(/: valid, entries 1 to 12\d\n$/) as string,
    stderr: '',
  });

  appendFileSync(join(place, 'acme.ndjson'), '{}\n');
  expect(await verify()).toMatchObject({ code: 2 });
});
