import { spawnSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { once } from 'node:events';
import { describe, expect, test } from 'vitest';
import { whereAvailable } from '@eaas/test-kit/available';
import { program } from '../src/program.ts';
import { leaves } from '@eaas/test-kit/cli';
import { eaas as command, launch, run, serve } from '@eaas/test-kit/program';
import { commandLine, jsonLines, refusalOf } from '@eaas/test-kit/command-line';

const eaas = await commandLine();

test.each(leaves(program))('the help of %s has examples of the command', (path, each) => {
  let help = '';
  each
    .configureOutput({
      writeOut: (text) => {
        help += text;
      },
    })
    .outputHelp();
  expect(help).toContain(`Usage: ${path}`);
  expect(help).toMatch(new RegExp(`Examples:\n(  eaas .*\n)*  ${path}\\b`));
  expect(each.summary()).toMatch(/^[A-Z][^.]{5,70}$/);
});

test('eaas help explains the exit codes and every command', async () => {
  const help = (...topic: string[]) => run([...command, 'help', ...topic], { EAAS_PORT: 'none' });
  const codes = await help('exit-codes');
  expect(codes).toMatchObject({ code: 0, stderr: '' });
  expect(codes.stdout).toMatch(/^Exit codes:\n {2}0 {2}done\n {2}1 {2}/);
  expect((await help()).stdout).toContain('Usage: eaas [options] [command]');
  expect((await help('key', 'create')).stdout).toContain('Usage: eaas key create [options]');
  expect(await refusalOf(help('key', 'made'), 2)).toContain('There is no command `eaas key made`');
});

const typos = `
  tenent|tenant, sevre|serve, docter|doctor, migrat|migrate, ap-key|api-key, rootkey|root-key, complete|completion,
  tenant creat|create, tenant destory|destroy, key rotat|rotate, key disabel|disable, key min-verison|min-version,
  api-key revok|revoke, issuer ad|add, subject raport|report, audit folow|follow, audit verify-fil|verify-file,
  key list --tenant acme --jsn|--json, key list --tenat=acme|--tenant, tenant create acme --envelop-only true|--envelope-only,
  key creat patients|create, audit export --tenant acme --moth 2026-10|--month`;

test.each(typos.split(',').map((line) => line.trim().split('|')))(
  'the error about \u201ceaas %s\u201d suggests %s',
  async (line = '', nearest) => {
    expect(await refusalOf(eaas(...line.split(' ')), 2)).toContain(`(Did you mean ${nearest}?)`);
  },
);

test.each([
  [['tenant', 'show', 'nobody'], 1, { code: 'not_found', status: 404, next: 'eaas tenant list' }],
  [['api-key', 'revoke', 'ci', '--tenant', 'nobody'], 1, { code: 'not_found' }],
  [
    ['tenant', 'creat'],
    2,
    { code: 'wrong_usage', status: null, detail: expect.stringContaining('Did you mean create') as string },
  ],
  [['tenant', 'create'], 2, { code: 'wrong_usage', next: 'eaas tenant create acme' }],
  [['tenant', 'show', 'a', 'b'], 2, { code: 'wrong_usage' }],
  [
    ['log', 'status'],
    3,
    { code: 'cannot_start', detail: expect.stringContaining('EAAS_DATABASE_URL') as string },
  ],
] as const)('with --json, the error of eaas %j is a line of JSON', async (words, code, problem) => {
  const place = code === 3 ? eaas.with({ EAAS_DATABASE_URL: 'none' }) : eaas;
  const [said] = jsonLines<Record<string, unknown>>(await refusalOf(place(...words, '--json'), code));
  expect(said).toMatchObject({ ...problem, exit_code: code });
});

const completing: Readonly<Record<string, (words: readonly string[]) => readonly string[]>> = {
  bash: (words) => [
    '-c',
    `source /dev/stdin <<<"$SCRIPT"; COMP_WORDS=(${words.join(' ')} ''); COMP_CWORD=${words.length}; _eaas; ` +
      'echo "${COMPREPLY[@]}"',
  ],
  zsh: (words) => [
    '-fc',
    `compdef() {}; _files() {}; compadd() { shift; echo "$@" }; eval "$SCRIPT"; words=(${words.join(' ')} ''); ` +
      `CURRENT=${words.length + 1}; _eaas`,
  ],
  fish: (words) => [
    '--no-config',
    '-c',
    `echo $SCRIPT | source; complete -C "${words.join(' ')} " | string join ' '`,
  ],
};

describe.each(Object.keys(completing))('in %s', (shell) => {
  whereAvailable(shell, spawnSync(shell, ['--version']).status === 0, () => {
    test.each([
      [['eaas'], /^(?=.*\bdev\b)(?=.*\btenant\b)(?=.*\bcompletion\b)/],
      [['eaas', 'tenant'], /^(?=.*\bcreate\b)(?=.*\bdestroy\b)(?!.*\bdoctor\b)/],
      [['eaas', 'key', 'create', '--tenant', 'acme'], /^(?=.*--rotate-every\b)(?!.*--month\b)/],
    ])('%j is completed', async (words, wanted) => {
      const { stdout: SCRIPT } = await run([...command, 'completion', shell], {});
      const { stdout, stderr } = await run([shell, ...(completing[shell]?.(words) ?? [])], { SCRIPT });
      expect(stderr).toBe('');
      expect(stdout.replaceAll('\n', ' ')).toMatch(wanted);
    });
  });
});

test('a pipe gets no colours and no progress, whatever NO_COLOR says', async () => {
  for (const env of [{ NO_COLOR: '1' }, { FORCE_COLOR: '1' }, {}]) {
    const { stdout, stderr } = await eaas.with(env)('doctor');
    expect(stdout + stderr).not.toContain('\u001B');
  }
});

test('--version prints the version of the package', async () => {
  const manifest = new URL('../package.json', import.meta.url);
  const { version } = JSON.parse(await readFile(manifest, 'utf8')) as { version: string };
  const printed = await run([...command, '--version'], {});
  expect(printed).toEqual({ code: 0, stdout: `${version}\n`, stderr: '' });
});

test('SIGTERM to npx ends the server that npx started', async () => {
  const line = [...command, 'serve'].map((word) => `'${word}'`).join(' ');
  const { child, stdout } = launch(['npx', '-c', line], {
    ...eaas.env,
    EAAS_PORT: '0',
    EAAS_DRAIN_SECONDS: '0',
  });
  // The server has the other end of the pipes, so they close when it has ended.
  const closed = once(child, 'close');
  await expect.poll(stdout).toContain('Eaas listens on');
  child.kill('SIGTERM');
  await closed;
});

test('a server has no public log unless it is told, and after SIGTERM is not ready, but serves until a second signal', async () => {
  const server = await serve({ ...eaas.env, EAAS_DRAIN_SECONDS: '300' });
  const ask = async (path: string) => {
    const { status, headers } = await fetch(server.baseUrl + path);
    return [status, headers.get('connection')];
  };
  expect(await ask('/readyz')).toEqual([200, 'keep-alive']);
  expect(await ask('/log/checkpoint')).toEqual([404, 'keep-alive']);
  server.signal('SIGTERM');
  await expect.poll(() => ask('/readyz')).toEqual([503, 'close']);
  expect(await ask('/openapi.json')).toEqual([200, 'close']);
  await server.stop();
  expect(await server.ended).toEqual({ code: 0, signal: null });
});
