import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createLocalService } from '@eaas/local';
import { inTerminal, jsonLines, refusalOf } from '@eaas/test-kit/command-line';
import { newDirectory } from '@eaas/test-kit/directory';
import { root } from '@eaas/test-kit/markdown';
import { type Environment, inherited, run } from '@eaas/test-kit/program';
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest';

const command = [process.execPath, `${root}packages/local/bin/eaas-local.mjs`];

let file: string;
beforeEach(async () => {
  file = join(await newDirectory(), 'local.json');
  createLocalService({ file });
  onTestFinished(() => void vi.unstubAllEnvs());
});

const lock = (env: Environment, ...more: string[]) => run([...command, 'lock', file, ...more], env);

/** Types the answers at a terminal, each after its question. */
async function typing(questions: readonly (readonly [question: string, answer: string])[]) {
  const [program = '', ...args] = inTerminal(['lock', file], command);
  const child = spawn(program, args, { env: inherited(), stdio: ['pipe', 'pipe', 'ignore'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  const closed = once(child, 'close');
  let shown = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    shown += text;
  });
  for (const [question, answer] of questions) {
    await expect.poll(() => shown).toContain(question);
    child.stdin.write(`${answer}\n`);
  }
  const [code] = (await closed) as [number];
  return { code, shown };
}

test('lock takes the old and the new lock from variables', async () => {
  const first = await lock({ EAAS_LOCAL_NEW_PASSPHRASE: 'correct horse' });
  expect(first).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^lock passphrase \(before: none\)$/m) as string,
  });
  expect(first.stderr).toContain('Copies of the old file still open as before');
  expect(first.stderr).toContain('Next: start the app with EAAS_LOCAL_PASSPHRASE');
  const old = { EAAS_LOCAL_PASSPHRASE: 'correct horse' };
  expect(await refusalOf(lock(old), 2)).toContain('needs a new passphrase: set EAAS_LOCAL_NEW_PASSPHRASE or');
  const again = await lock({ ...old, EAAS_LOCAL_NEW_PASSPHRASE: 'staple' }, '--json');
  expect(jsonLines(again.stdout)).toMatchObject([{ lock_before: 'passphrase', lock: 'passphrase' }]);
  vi.stubEnv('EAAS_LOCAL_PASSPHRASE', 'staple');
  expect(createLocalService({ file, create: false }).keyId).toMatch(/^[\da-f-]{36}$/);
});

test('lock asks at a terminal, shows no passphrase, and changes nothing if the repetition differs', async () => {
  const before = await readFile(file, 'utf8');
  const differs = await typing([
    ['The new passphrase of the key file', 'correct horse'],
    ['Again: ', 'correct house'],
  ]);
  expect(differs.code).toBe(2);
  expect(differs.shown).toContain('nothing was changed, because the passphrases differ');
  expect(await readFile(file, 'utf8')).toBe(before);

  const { code, shown } = await typing([
    ['The new passphrase of the key file', 'correct horse'],
    ['Again: ', 'correct horse'],
  ]);
  expect({ code, isShown: shown.includes('correct') }).toEqual({ code: 0, isShown: false });
  vi.stubEnv('EAAS_LOCAL_PASSPHRASE', 'correct horse');
  expect(createLocalService({ file, create: false }).keyId).toMatch(/^[\da-f-]{36}$/);
});

test('a program of a key service that fails ends with the processes that it started', async () => {
  const program = join(await newDirectory(), 'kms.sh');
  await writeFile(program, '#!/bin/sh\nsleep 600 &\nexec yes\n', { mode: 0o700 });
  // The other process holds the standard error of the command, which `run` reads to its end.
  const { code, stderr } = await run([...command, 'new'], { EAAS_LOCAL_KMS_COMMAND: program });
  expect([code, stderr]).toEqual([2, expect.stringContaining('cannot be run (ENOBUFS)') as string]);
});

test('a program of a key service that ignores SIGTERM ends when its time is over', async () => {
  const program = join(await newDirectory(), 'kms.sh');
  await writeFile(program, '#!/bin/sh\ntrap "" TERM\nsleep 600\n', { mode: 0o700 });
  const { code, stderr } = await run([...command, 'new'], { EAAS_LOCAL_KMS_COMMAND: program });
  expect([code, stderr]).toEqual([2, expect.stringContaining('cannot be run (ETIMEDOUT)') as string]);
});

test.each(['local', 'migrate'])('a reader that ends early ends eaas-%s silently', async (name) => {
  const line = `${process.execPath} packages/${name}/bin/eaas-${name}.mjs --help | true; exit \${PIPESTATUS[0]}`;
  const code = name === 'local' ? 0 : 1;
  expect(await run(['bash', '-c', line], {})).toEqual({ code, stdout: '', stderr: '' });
});
