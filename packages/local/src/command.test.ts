import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { EaasClient } from '@eaas/sdk';
import { newDirectory } from '@eaas/test-kit/directory';
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { help, run } from './command.ts';
import { createLocalService } from './index.ts';
import { formatSealed } from './sealed.ts';
import { keysOfSecrets } from './secret.ts';

let printed = '';
let noted = '';
/** What standard output is. */
let output: { isFile: boolean; size: number; mode: number; ino?: number };
beforeEach(() => {
  [printed, noted] = ['', ''];
  output = { isFile: false, size: 0, mode: 0 };
  const stats = (): unknown => ({ ino: -1, ...output, isFile: () => output.isFile });
  vi.spyOn(fs, 'fstatSync').mockImplementation(stats as never);
  syncBuiltinESMExports();
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
    printed += String(text);
    return true;
  });
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
    noted += String(text);
    return true;
  });
  vi.useFakeTimers({ toFake: ['Date'], now: Date.UTC(2026, 10, 26, 12) });
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  syncBuiltinESMExports();
  vi.unstubAllEnvs();
});

/** Runs a command that must succeed, with the keys that are given, and returns what it prints. */
async function printedBy(args: string[], sealed?: string): Promise<string> {
  vi.stubEnv('EAAS_LOCAL', sealed);
  printed = '';
  expect(await run(args)).toBe(0);
  return printed.trim().replace(/^EAAS_LOCAL=/, '');
}

test('`new` prints a variable that a local service opens, and says to keep a copy', async () => {
  const sealed = await printedBy(['new']);
  expect(createLocalService({ sealed }).keyId).toMatch(/^[\da-f-]{36}$/);
  expect(noted).toMatch(/keep a copy/);
  expect(noted).not.toContain(sealed.slice(11, 40));
  expect(await printedBy(['new'])).not.toBe(sealed);
});

test.each([
  ['no file', { isFile: false, size: 7, mode: 0o10666 }, false, false],
  ['an empty file of its own', { isFile: true, size: 0, mode: 0o100600 }, false, false],
  ['a file that its group reads', { isFile: true, size: 0, mode: 0o100640 }, true, false],
  ['a file that all read', { isFile: true, size: 0, mode: 0o100604 }, true, false],
  ['a file with something in it', { isFile: true, size: 1, mode: 0o100600 }, false, true],
])('`new` into %s says who can read it, and begins a line', async (_, kind, warns, begins) => {
  output = kind;
  await printedBy(['new']);
  expect(printed).toMatch(begins ? /^\nEAAS_LOCAL=eaas_local_\S+\n$/ : /^EAAS_LOCAL=eaas_local_\S+\n$/);
  expect(noted.includes('Other users of this machine can read the file')).toBe(warns);
});

test('no command prints a second variable into `.env`, where it would hide the first', async () => {
  const [before, folder] = [process.cwd(), await newDirectory()];
  process.chdir(folder);
  onTestFinished(() => process.chdir(before));
  const sealed = await printedBy(['new']);
  fs.writeFileSync('.env', `A=1\nEAAS_LOCAL=${sealed}\n`);
  output = { isFile: true, size: 1, mode: 0o100600, ino: fs.statSync('.env').ino };
  for (const command of ['new', 'rotate']) {
    expect(await run([command])).toBe(2);
    expect(noted).toMatch(/^.env has EAAS_LOCAL already: .*`rotate` or `lock`$/m);
  }
  fs.writeFileSync('.env', ' export EAAS_LOCAL = x\n');
  expect(await run(['new'])).toBe(2);
  fs.writeFileSync('.env', 'EAAS_LOCAL=\nB=1\n');
  expect(await printedBy(['new'])).toMatch(/^eaas_local_/);
});

test.each([
  [[], '2026-11-26T13:00:00.000Z'],
  [['--in', '30m'], '2026-11-26T12:30:00.000Z'],
  [['--in', '2d'], '2026-11-28T12:00:00.000Z'],
])('`rotate` %j prints keys whose new version encrypts from %s on', async (options, from) => {
  const next = await printedBy(['rotate', ...options], await printedBy(['new']));
  expect(noted).toContain(`encrypts from ${from} on`);
  const shown = await printedBy(['show'], next);
  expect(shown).toContain(`version 2, made 2026-11-26T12:00:00.000Z, encrypts from ${from} on`);
  expect(shown).toContain(createLocalService({ sealed: next }).keyId);
  expect(shown).not.toContain(next.slice(11, 40));
});

test('`rotate --in 0` and `show` speak of no delay', async () => {
  const next = await printedBy(['rotate', '--in', '0'], await printedBy(['new']));
  expect(await printedBy(['show'], next)).toMatch(/version 2, made [^,]*$/m);
});

test('a version that begins later than a newer one does not encrypt before, nor after it', async () => {
  const next = await printedBy(['rotate', '--in', '2d'], await printedBy(['new']));
  const newest = await printedBy(['rotate', '--in', '0'], next);
  const client = new EaasClient({ service: createLocalService({ sealed: newest }) });
  expect((await client.encrypt('x', { context: {}, fresh: true, as: 'bundle' })).key_version).toBe(3);
  vi.setSystemTime(Date.UTC(2026, 10, 29));
  expect((await client.encrypt('x', { context: {}, fresh: true, as: 'bundle' })).key_version).toBe(3);
});

test.each<[string[], string | undefined, RegExp]>([
  [[], undefined, /pass one command.*\(got none\)/],
  [['news'], undefined, /\(got `news`\)/],
  [['new', 'keys'], undefined, /\(got `new keys`\)/],
  [['new', '--in', '1h'], undefined, /`--in` belongs to `rotate`/],
  [['lock'], undefined, /set EAAS_LOCAL_NEW_KMS_COMMAND to the program/],
  [['lock', 'a.json', 'b.json'], undefined, /\(got `lock a.json b.json`\)/],
  [['show', '--json'], undefined, /`--json` belongs to `lock`/],
  [['rotate', '--in', 'soon'], 'x', /`--in` must be a time such as 30m/],
  [['rotate', '--at', '1h'], 'x', /--at/],
  [['show'], 'eaas_sk_secret', /must be what .* prints/],
])('%j is refused, with the way to the help, and prints nothing', async (args, sealed, message) => {
  vi.stubEnv('EAAS_LOCAL', sealed);
  expect(await run(args)).toBe(2);
  expect([printed, noted]).toEqual(['', expect.stringMatching(message)]);
  expect(noted).toContain('--help');
  expect(noted).not.toContain('secret');
});

/** What the help lists under a title: the first word of each line that is not the rest of another. */
const listedUnder = (title: string): string[] => {
  const [, list = ''] = help.split(`${title}:\n`);
  const [lines = ''] = list.split('\n\n');
  return Array.from(lines.matchAll(/^  (?:-\w, )?(?:--)?(\w+)/gm), ([, name = '']) => name);
};
const commandsInHelp = [...new Set(listedUnder('Commands'))];
const optionsInHelp = listedUnder('Options');

/** Runs a command with an option and without, on the same keys and files, and says what each printed and noted. */
async function runsOf(option: string): Promise<{ readonly without: string; readonly with: string }> {
  const folder = await newDirectory();
  const keyFile = (name: string) => {
    const file = join(folder, name, 'local.json');
    createLocalService({ file });
    return file;
  };
  const sealed = await printedBy(['new']);
  vi.stubEnv('EAAS_LOCAL_NEW_PASSPHRASE', 'a passphrase');
  const says = async (...args: string[]) => {
    [printed, noted] = ['', ''];
    return `${await run(args)} ${printed} ${noted}`;
  };
  const pairs: Readonly<Record<string, () => Promise<readonly [string, string]>>> = {
    in: async () => [await says('rotate'), await says('rotate', '--in', '30m')],
    async json() {
      // A key file is looked at as it is.
      vi.mocked(fs.fstatSync).mockRestore();
      syncBuiltinESMExports();
      return [await says('lock', keyFile('a')), await says('lock', keyFile('b'), '--json')];
    },
    help: async () => [await says('show'), await says('show', '--help')],
  };
  vi.stubEnv('EAAS_LOCAL', sealed);
  const [without = '', withIt = ''] = (await pairs[option]?.()) ?? [];
  return { without, with: withIt };
}

const effects: Readonly<Record<string, { readonly without: RegExp; readonly with: RegExp }>> = {
  in: {
    without: /^0 .*encrypts from 2026-11-26T13:00:00.000Z on/s,
    with: /^0 .*encrypts from 2026-11-26T12:30:00.000Z on/s,
  },
  json: {
    without: /^0 tenant \S+\nlock passphrase \(before: none\)\n .*Copies of the old file/s,
    with: /^0 \{"tenant_id":"\S+","lock_before":"none","lock":"passphrase"\}\n $/,
  },
  help: { without: /^0 (?!Usage)/, with: /^0 Usage: npx --no-install @eaas\/local/ },
};

test('each option that the help lists has a run with it, and one without', () => {
  expect(Object.keys(effects).toSorted()).toEqual(optionsInHelp.toSorted());
});

test.each(optionsInHelp)('`--%s` does what the help says, and nothing does it without', async (option) => {
  const runs = await runsOf(option);
  expect(runs.without).toMatch(effects[option]?.without ?? '');
  expect(runs.with).toMatch(effects[option]?.with ?? '');
});

const belongs: Readonly<Record<string, readonly string[]>> = {
  in: ['rotate'],
  json: [],
  help: commandsInHelp,
};
const elsewhere = optionsInHelp.flatMap((option) =>
  commandsInHelp
    .filter((name) => !belongs[option]?.includes(name))
    .map((name) => [name, option, option === 'in' ? ['--in', '1h'] : [`--${option}`]] as const),
);

test.each(elsewhere)('`%s` refuses `--%s`, which belongs to another command', async (name, option, given) => {
  vi.stubEnv('EAAS_LOCAL', await printedBy(['new']));
  [printed, noted] = ['', ''];
  const more = name === 'expand' ? ['A_VARIABLE'] : [];
  expect(await run([name, ...more, ...given])).toBe(2);
  expect([printed, noted]).toEqual(['', expect.stringContaining(`\`--${option}\` belongs to`)]);
});

test('`expand` prints the keys of secrets in variables, also of .env, and never shows what it gets in place of a name', async () => {
  const secrets = [randomBytes(32).toString('hex'), randomBytes(32).toString('hex')] as const;
  const load = () => secrets.forEach((secret, at) => void vi.stubEnv(`ENCRYPTION_KEY_${at}`, secret));
  vi.spyOn(process, 'loadEnvFile').mockImplementation(load);
  const sealed = await printedBy(['expand', 'ENCRYPTION_KEY_0', 'ENCRYPTION_KEY_1']);
  expect(sealed).toBe(formatSealed(keysOfSecrets(secrets)));
  for (const names of [[], [secrets[0]], ['ENCRYPTION_KEY_0', 'ENCRYPTION_KEY_2']]) {
    [printed, noted] = ['', ''];
    expect(await run(['expand', ...names])).toBe(2);
    expect([printed, noted]).toEqual(['', expect.stringMatching(/got `expand`|got undefined/)]);
    expect(noted).not.toContain(secrets[0]);
  }
});
