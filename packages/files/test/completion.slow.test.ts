import { expect, test } from 'vitest';
import { isInstalled, whereAvailable } from '@eaas/test-kit/available';
import { typeInZsh } from '@eaas/test-kit/type-in-zsh';
import { newPlace, type Place } from './command-line.ts';

const cases: [string, string[]][] = [
  ['enc', ['encrypt']],
  ['encrypt --rec', ['--recursive']],
  ['decrypt a.eaas --exp', ['--exported-key']],
  ['inspect --js', ['--json']],
  ['encrypt --js', []],
  ['help exit', ['exit-codes']],
];

async function placeFor(shell: string): Promise<Place> {
  const place = await newPlace();
  const { code, stderr } = await place.type(`touch report.pdf; eaas-files completion ${shell} > script`, {});
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return place;
}

const inBash = (line: string): string => {
  const words = ['eaas-files', ...line.split(' ')];
  return `. ./script; COMP_WORDS=(${words.join(' ')}); COMP_CWORD=${words.length - 1}; _eaas_files; echo "\${COMPREPLY[@]}"`;
};

test.each(cases)('bash completes `eaas-files %s`', async (line, expected) => {
  const place = await placeFor('bash');
  const { code, stdout, stderr } = await place.type(inBash(line), {});
  expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: `${expected.join(' ')}\n`, stderr: '' });
});

whereAvailable('fish', isInstalled('fish'), () => {
  test.each([...cases, ['encrypt rep', ['report.pdf']] as const])(
    'fish completes `eaas-files %s`',
    async (line, expected) => {
      const place = await placeFor('fish');
      const complete = `fish --no-config -c "source script; complete -C 'eaas-files ${line}'"`;
      const { stdout } = await place.type(complete, {});
      expect(stdout.split('\n').flatMap((each) => each.split('\t')[0] || [])).toEqual(expected);
    },
  );
});

whereAvailable('zsh', isInstalled('zsh'), () => {
  test.each(cases)('zsh completes `eaas-files %s`', async (line, [expected]) => {
    const { path } = await placeFor('zsh');
    const completed = await typeInZsh(path, './script', `eaas-files ${line}`);
    const before = line.split(' ').slice(0, -1).join(' ');
    const words = expected === undefined ? line : `${before} ${expected} `.trimStart();
    expect(completed).toBe(`eaas-files ${words}\n`);
  });

  test('the installed completion of eaas-files works in zsh from a folder of fpath', async () => {
    const place = await placeFor('zsh');
    const setup =
      'fpath=($PWD $fpath); autoload -Uz compinit && compinit -u -D; print -r -- $_comps[eaas-files]';
    const { stdout } = await place.type(`mv script _eaas-files; zsh -f -c '${setup}'`, {});
    expect(stdout).toBe('_eaas-files\n');
  });
});
