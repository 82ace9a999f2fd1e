import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { newDirectory } from '@eaas/test-kit/directory';

const VITEST = fileURLToPath(new URL('../../node_modules/vitest/vitest.mjs', import.meta.url));
const AVAILABLE = fileURLToPath(new URL('available.ts', import.meta.url));
const REPORTER = fileURLToPath(new URL('closing-line.ts', import.meta.url));

async function run(
  files: Record<string, string>,
  env: Record<string, string> = {},
): Promise<{ line: string | undefined; before: string | undefined; code: number }> {
  const root = await newDirectory();
  const config = `import { ClosingLine } from ${JSON.stringify(REPORTER)};
    export default { test: { globals: true, reporters: ['default', new ClosingLine()] } };`;
  await writeFile(join(root, 'vitest.config.ts'), config);
  for (const [name, code] of Object.entries(files)) await writeFile(join(root, name), code);
  const options = { env: { ...process.env, TEST_MAY_LACK: undefined, ...env } };
  return new Promise((resolve) => {
    execFile(process.execPath, [VITEST, 'run', '--root', root], options, (error, stdout) => {
      const [before, line] = stdout.split('\n').slice(-3);
      resolve({ line, before, code: Number(error?.code ?? 0) });
    });
  });
}

test('counts tests, and an error outside of them as a failure', async () => {
  const ends = `test('a', () => {}); test.skip('b', () => {}); test('c', () => { throw new Error('no'); });`;
  expect(await run({ 'one.test.ts': ends })).toMatchObject({
    line: '1 passed, 1 failed, 1 skipped',
    code: 1,
  });
  const setup = `beforeAll(() => { throw new Error('no'); }); test('a', () => {});`;
  expect(await run({ 'one.test.ts': setup })).toMatchObject({
    line: '0 passed, 1 failed, 1 skipped',
    code: 1,
  });
});

test('a test file that cannot be loaded, or a run without tests, counts as one failure', async () => {
  const files = { 'one.test.ts': `test('a', () => {});`, 'two.test.ts': `import './missing.ts';` };
  expect(await run(files)).toMatchObject({ line: '1 passed, 1 failed, 0 skipped', code: 1 });
  expect(await run({})).toMatchObject({ line: '0 passed, 1 failed, 0 skipped', code: 1 });
});

test('tests that need missing software are listed but not counted, unless the software may not be missing', async () => {
  const code = `import { isInstalled, whereAvailable } from ${JSON.stringify(AVAILABLE)};
    const two = () => { test('a', () => {}); describe('b', () => void test('c', () => {})); };
    whereAvailable('sh', isInstalled('sh'), two);
    whereAvailable('no-such-program', isInstalled('no-such-program'), two);`;
  const before = 'not available: no-such-program (2 tests)';
  const complete = { before, line: '2 passed, 0 failed, 0 skipped', code: 0 };
  expect(await run({ 'one.test.ts': code })).toEqual(complete);
  expect(await run({ 'one.test.ts': code }, { TEST_MAY_LACK: 'Citus|no-such-.*' })).toEqual(complete);
  const lacking = { before, line: '2 passed, 2 failed, 0 skipped', code: 1 };
  expect(await run({ 'one.test.ts': code }, { TEST_MAY_LACK: 'no-such' })).toEqual(lacking);
});
