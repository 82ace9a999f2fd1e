import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { eaas, run } from '../conformance/program.ts';
import { isInstalled, whereAvailable } from '../setup/available.ts';
import { newDirectory } from './command-line.ts';

const cases: [string, string[]][] = [
  ['key cr', ['create']],
  ['tenant create --name acme --envel', ['--envelope-only']],
  ['tenant create --name serve --na', ['--name']],
  ['audit tail --tenant acme --no', ['--no-follow']],
  ['completion f', ['fish']],
  ['tenant show acme k', []],
];

async function script(shell: string): Promise<string> {
  const { code, stdout, stderr } = await run([...eaas, 'completion', shell], {});
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  const file = join(await newDirectory(), `eaas.${shell}`);
  await writeFile(file, stdout);
  return file;
}

test.each(cases)('bash completes `eaas %s`', async (line, expected) => {
  const words = ['eaas', ...line.split(' ')];
  const complete = `source ${await script('bash')}; COMP_WORDS=(${words.join(' ')}); COMP_CWORD=${words.length - 1}; _eaas; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const { code, stdout } = await run(['bash', '--norc', '-uc', complete], {});
  expect({ code, words: stdout.trim().split('\n') }).toEqual({
    code: 0,
    words: expected.length > 0 ? expected : [''],
  });
});

whereAvailable('fish', isInstalled('fish'), () => {
  test.each(cases)('fish completes `eaas %s`', async (line, expected) => {
    const complete = `source ${await script('fish')}; complete -C 'eaas ${line}'`;
    const { stdout } = await run(['fish', '--no-config', '-c', complete], {});
    expect(stdout.split('\n').flatMap((each) => each.split('\t')[0] || [])).toEqual(expected);
  });
});

whereAvailable('zsh', isInstalled('zsh'), () => {
  test('zsh can read its script', async () => {
    const { code, stderr } = await run(['zsh', '-nf', await script('zsh')], {});
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  });
});

test('another shell is wrong usage', async () => {
  const { code, stderr } = await run([...eaas, 'completion', 'tcsh'], {});
  expect(code).toBe(2);
  expect(stderr).toContain('bash, zsh, fish');
});
