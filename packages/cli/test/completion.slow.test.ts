import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { eaas, run } from '@eaas/test-kit/program';
import { isInstalled, whereAvailable } from '@eaas/test-kit/available';
import { typeInZsh } from '@eaas/test-kit/type-in-zsh';
import { refusalOf } from '@eaas/test-kit/command-line';
import { newDirectory } from '@eaas/test-kit/directory';

const cases: [string, string[]][] = [
  ['key cr', ['create']],
  ['tenant create --name acme --envel', ['--envelope-only']],
  ['tenant create --name serve --na', ['--name']],
  ['audit follow --tenant acme --on', ['--once']],
  ['completion f', ['fish']],
  ['help exit', ['exit-codes']],
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
  const complete =
    `source ${await script('bash')}; COMP_WORDS=(${words.join(' ')}); COMP_CWORD=${words.length - 1}; ` +
    `_eaas; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const { code, stdout } = await run(['bash', '--norc', '-uc', complete], {});
  expect({ code, words: stdout.trim().split('\n') }).toEqual({
    code: 0,
    words: expected.length > 0 ? expected : [''],
  });
});

whereAvailable('fish', isInstalled('fish'), () => {
  test.each(cases)('fish completes `eaas %s`', async (line, expected) => {
    expect(await inFish(line)).toEqual(expected);
  });

  test('the completion for fish completes file names only where a file can follow', async () => {
    expect(await inFish('audit export --tenant acme --out pack')).toContain('package.json');
    expect(await inFish('audit verify-file pack')).toContain('package.json');
    expect(await inFish('audit export --tenant pack')).toEqual([]);
  });

  async function inFish(line: string): Promise<string[]> {
    const complete = `source ${await script('fish')}; complete -C 'eaas ${line}'`;
    const { stdout } = await run(['fish', '--no-config', '-c', complete], {});
    return stdout.split('\n').flatMap((each) => each.split('\t')[0] || []);
  }
});

whereAvailable('zsh', isInstalled('zsh'), () => {
  test.each(cases)('zsh completes `eaas %s`', async (line, [expected]) => {
    const cwd = await newDirectory();
    const completed = await typeInZsh(cwd, await script('zsh'), `eaas ${line}`);
    const before = line.split(' ').slice(0, -1).join(' ');
    expect(completed).toBe(expected === undefined ? `eaas ${line}\n` : `eaas ${before} ${expected} \n`);
  });

  test('the installed completion of eaas works in zsh from a folder of fpath', async () => {
    const cwd = await newDirectory();
    const setup = `fpath=('${cwd}' $fpath); autoload -Uz compinit && compinit -u -D; print -r -- $_comps[eaas]`;
    await writeFile(join(cwd, '_eaas'), (await run([...eaas, 'completion', 'zsh'], {})).stdout);
    expect((await run(['zsh', '-f', '-c', setup], {}, { cwd })).stdout).toBe('_eaas\n');
  });
});

test('eaas completion exits with 2 for a shell that is not supported', async () => {
  expect(await refusalOf(run([...eaas, 'completion', 'tcsh'], {}), 2)).toContain('bash, zsh, fish');
});
