import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { timeRanOut } from './closing-line.ts';
import { newDirectory } from '@eaas/test-kit/directory';

const VITEST = fileURLToPath(new URL('../../node_modules/vitest/vitest.mjs', import.meta.url));
const AVAILABLE = fileURLToPath(new URL('available.ts', import.meta.url));
const REPORTER = fileURLToPath(new URL('closing-line.ts', import.meta.url));

async function run(
  files: Record<string, string>,
): Promise<{ line: string | undefined; before: string | undefined; code: number }> {
  const root = await newDirectory();
  const config = `import { ClosingLine, timeRanOut } from ${JSON.stringify(REPORTER)};
    const retry = { count: 1, condition: timeRanOut };
    export default { test: { globals: true, retry, reporters: ['default', new ClosingLine()] } };`;
  await writeFile(join(root, 'vitest.config.ts'), config);
  for (const [name, code] of Object.entries(files)) await writeFile(join(root, name), code);
  return new Promise((resolve) => {
    execFile(process.execPath, [VITEST, 'run', '--root', root], (error, stdout) => {
      const [before, line] = stdout.split('\n').slice(-3);
      resolve({ line, before, code: Number(error?.code ?? 0) });
    });
  });
}

test.each([
  [
    'tests that pass',
    `test('a', () => {}); test('b', () => {}); test.skip('c', () => {}); test.todo('d');`,
    0,
    '2 passed, 0 failed, 2 skipped',
  ],
  [
    'a test that fails',
    `test('a', () => {}); test('b', () => { throw new Error('no'); });`,
    1,
    '1 passed, 1 failed, 0 skipped',
  ],
  [
    'an error outside tests',
    `test('a', () => void setTimeout(() => { throw new Error('no'); })); test('b', () => new Promise((r) => setTimeout(r, 50)));`,
    1,
    '2 passed, 1 failed, 0 skipped',
  ],
  [
    'a setup that fails',
    `beforeAll(() => { throw new Error('no'); }); test('a', () => {});`,
    1,
    '0 passed, 1 failed, 1 skipped',
  ],
])('counts %s', async (_, code, exitCode, line) => {
  expect(await run({ 'one.test.ts': code })).toMatchObject({ line, code: exitCode });
});

test('a test file that cannot be loaded, or a run without tests, counts as one failure', async () => {
  const files = { 'one.test.ts': `test('a', () => {});`, 'two.test.ts': `import './missing.ts';` };
  expect(await run(files)).toMatchObject({ line: '1 passed, 1 failed, 0 skipped', code: 1 });
  expect(await run({})).toMatchObject({ line: '0 passed, 1 failed, 0 skipped', code: 1 });
});

test('tests that need missing software are listed but not counted', async () => {
  const code = `import { isInstalled, whereAvailable } from ${JSON.stringify(AVAILABLE)};
    const two = () => { test('a', () => {}); describe('b', () => void test('c', () => {})); };
    whereAvailable('sh', isInstalled('sh'), two);
    whereAvailable('no-such-program', isInstalled('no-such-program'), two);`;
  expect(await run({ 'one.test.ts': code })).toEqual({
    before: 'not available: no-such-program (2 tests)',
    line: '2 passed, 0 failed, 0 skipped',
    code: 0,
  });
});

test('a test for which time ran out runs twice, and is named', async () => {
  const code = `let runs = 0;
    test('late', () => expect(runs++ === 0 ? 503 : 200).toBe(200));
    test('wrong', () => expect(500).toBe(200));`;
  expect(await run({ 'one.test.ts': code })).toMatchObject({
    before: 'ran twice, because time ran out: one.test.ts > late',
    line: '1 passed, 1 failed, 0 skipped',
    code: 1,
  });
});

test.each([
  [true, 'expected 503 to be 200 // Object.is equality'],
  [true, 'expected { status: 503, …(1) } to match object { status: 200 }'],
  [true, "expected [ '200', '503 unavailable' ] to deeply equal [ '200' ]"],
  [true, 'locator.click: Timeout 30000ms exceeded.'],
  [false, 'expected 200 to be 503 // Object.is equality'],
  [false, "expected [ '200' ] to deeply equal [ '503 unavailable' ]"],
  [false, 'expected 99 to be 100 // Object.is equality'],
])('time has run out: %s, if the error is "%s"', (hasRunOut, message) => {
  expect(timeRanOut.test(message)).toBe(hasRunOut);
});
