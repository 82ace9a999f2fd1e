import { execFile } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { whereAvailable } from '@eaas/test-kit/available';
import { hasChromium, launchChromium, type Page } from '@eaas/test-kit/chromium';
import { createDatabase, type TestDatabase } from '@eaas/test-kit/database';
import { type App, installPackages } from '@eaas/test-kit/installed-packages';
import { read, root } from '@eaas/test-kit/markdown';
import { requireTools, type Tools } from '@eaas/test-kit/tools';
import { playKeyServices } from '../examples/played-key-services.ts';
import { follow, type Reader, storedIn } from './quick-start.ts';

interface Start {
  readonly page: string;
  /** The part of the page that the reader follows, after what stands before the first. */
  readonly section?: string;
  /** The folders that have what the reader installs. */
  readonly tools: readonly Tools[];
  /** What the reader does in the browser until it shows each block `text`. */
  readonly inBrowser?: readonly ((tab: Page, shown: string) => Promise<void>)[];
}

const inTerminal: readonly Start[] = [
  { page: 'README.md', section: 'Install the packages', tools: ['test/tools/drizzle'] },
  { page: 'docs/start/express.md', tools: ['packages/sdk/test/frameworks/express', 'packages/prisma/test'] },
  { page: 'docs/start/tokens.md', tools: ['test/tools/drizzle'] },
  { page: 'docs/start/nestjs.md', tools: ['test/tools/start', 'packages/sdk/test/frameworks/next'] },
];

const serverless = 'docs/start/serverless.md';

/** Their keys are in one variable, which some rotate, and which a key service locks in the end. */
const inOneVariable: readonly Start[] = [
  { page: serverless, section: 'Next.js at the edge', tools: ['packages/sdk/test/frameworks/next'] },
  {
    page: serverless,
    section: 'Cloudflare Workers and D1',
    tools: ['test/tools/start', 'test/tools/drizzle'],
  },
  { page: serverless, section: 'AWS Lambda', tools: [] },
];

const inBrowser: readonly Start[] = [
  {
    page: 'docs/start/next.md',
    tools: ['packages/sdk/test/frameworks/next', 'test/tools/drizzle'],
    inBrowser: [addBoth, findOneAndAddAgain],
  },
  {
    page: 'docs/start/sveltekit.md',
    tools: ['packages/sdk/test/frameworks/sveltekit', 'test/tools/drizzle'],
    inBrowser: [addBoth, findOneAndAddAgain],
  },
  { page: 'docs/start/intake.md', tools: ['test/tools/drizzle'], inBrowser: [sendBoth] },
];

const ada = ['Ada Lovelace', 'Ada@Example.com', '1815-12'] as const;
const grace = ['Grace Hopper', 'grace@example.com', '1906-12'] as const;

let app: App;

beforeAll(async () => {
  app = await installPackages();
});

afterAll(() => app.remove());

/** The values of people that the app stored as they are, and the errors of its types. */
async function faultsOf(reader: Followed): Promise<string[]> {
  return [...(await plaintextsOf(reader)), ...(await typeCheck(reader)).split('\n').filter(Boolean)];
}

test('the front page, and every page of docs/start that has code, is followed', () => {
  const followed = [...inTerminal, ...inOneVariable, ...inBrowser].map(({ page }) => page);
  // better-auth.slow.test.ts runs one, and the other has only links.
  const others = ['docs/start/better-auth.md', 'docs/start/README.md'];
  const pages = readdirSync(join(root, 'docs/start')).map((name) => `docs/start/${name}`);
  expect(['README.md', ...pages].toSorted()).toEqual([...new Set([...followed, ...others])].toSorted());
});

test.each(inTerminal)('$page works as its reader types it, and its programs type-check', async (start) => {
  expect(await faultsOf(await followed(start))).toEqual([]);
});

test.each(inOneVariable)(
  '$section of $page works as its reader types it, and nothing but the variable has the keys',
  async (start) => {
    const reader = await followed(start);
    expect(await faultsOf(reader)).toEqual([]);
    const variable = existsSync(join(reader.folder, '.env')) ? '.env' : '.dev.vars';
    // Of the secret of the tenant, which a rotation keeps.
    const secret = readFileSync(join(reader.folder, variable), 'utf8').slice(200, 250);
    expect(await filesWith(secret, reader.folder)).toEqual([`./${variable}`]);
  },
);

test('who follows only the skill for agents keeps a token encrypted, reads it back, and rotates', async () => {
  const { folder } = await followed({ page: 'skills/eaas/SKILL.md', tools: [] });
  const code = `
    const [name, ...args] = process.argv.slice(1);
    console.log(await (await import('./tokens.mjs'))[name](...args));`;
  const call = async (variables: string, ...args: readonly string[]): Promise<string> => {
    const command = [`--env-file=${variables}`, '--input-type=module', '--eval', code, ...args];
    return (await promisify(execFile)(process.execPath, command, { cwd: folder })).stdout.trim();
  };
  const stored = await call('.env', 'encryptToken', '42', '1//0gRefreshToken');
  expect(stored).toMatch(/^eaasA/);
  expect(await call('next.env', 'decryptToken', '42', stored)).toBe('1//0gRefreshToken');
  await expect(call('.env', 'decryptToken', '43', stored)).rejects.toThrow(/context/);
});

whereAvailable('Chromium for the pages of docs/start', hasChromium, () => {
  test.each(inBrowser)('$page works as its reader types it, and its programs type-check', async (start) => {
    expect(await faultsOf(await followed(start))).toEqual([]);
  });
});

async function fill(tab: Page, [name, email, born]: readonly [string, string, string]): Promise<void> {
  await tab.getByLabel('Name').fill(name);
  await tab.getByLabel('E-mail', { exact: true }).fill(email);
  await tab.getByLabel('Month of birth').fill(born);
}

async function addBoth(tab: Page, shown: string): Promise<void> {
  for (const patient of [ada, grace]) {
    await fill(tab, patient);
    await tab.getByRole('button', { name: 'Add' }).click();
    await tab.getByText(`Added ${patient[0]}.`).waitFor();
  }
  await expect.poll(async () => (await tab.locator('ul').innerText()).trim()).toBe(shown);
}

async function findOneAndAddAgain(tab: Page, shown: string): Promise<void> {
  const [found = '', taken = ''] = shown.split('\n');
  const before = await tab.locator('ul').innerText();
  await tab.getByLabel('Find by e-mail').fill('ADA@example.com');
  await tab.getByRole('button', { name: 'Find' }).click();
  await tab.getByText(found).waitFor();
  await fill(tab, ['Ada', 'ada@example.com', '1815-12']);
  await tab.getByRole('button', { name: 'Add' }).click();
  await tab.getByText(taken).waitFor();
  expect(await tab.locator('ul').innerText()).toBe(before);
}

async function sendBoth(tab: Page, shown: string): Promise<void> {
  for (const patient of [ada, grace]) {
    await fill(tab, patient);
    await tab.getByRole('button', { name: 'Send' }).click();
    await expect.poll(() => tab.getByLabel('Name').inputValue()).toBe('');
    expect(await tab.locator('output').innerText()).toBe(shown);
  }
}

test.each([...inTerminal, ...inBrowser, { page: serverless }])(
  '$page names each file before its text',
  ({ page }) => {
    // A page on the web does not show what follows the language of a block.
    const text = read(page);
    const files = Array.from(text.matchAll(/^```\S+ (\S+)$/gm), ({ 1: path = '', index }) => ({
      path,
      before: text.slice(0, index).trimEnd().split('\n\n').at(-1) ?? '',
    }));
    expect(files.length).toBeGreaterThan(0);
    expect(files.filter(({ path, before }) => !before.includes(`\`${path}\``))).toEqual([]);
  },
);

type Followed = Reader & { readonly database: TestDatabase };

async function followed({ page, section, tools, inBrowser: steps = [] }: Start): Promise<Followed> {
  const homes = [root];
  for (const name of tools) homes.push(dirname(await requireTools(name)));
  const database = await createDatabase();
  onTestFinished(() => database.drop());
  const waiting = [...steps];
  let tab: Page | undefined;
  const browse = async (url: string, shown: string): Promise<void> => {
    tab ??= await openTab(url);
    await waiting.shift()?.(tab, shown);
  };
  const variables = await playKeyServices();
  const reader = await follow(page, { section, app, homes, database, browse, variables });
  expect(waiting).toEqual([]);
  return { ...reader, database };
}

async function openTab(url: string): Promise<Page> {
  expect((await fetch(url)).status).toBe(200);
  const { browser, close } = await launchChromium();
  onTestFinished(close);
  const tab = await browser.newPage();
  await tab.goto(url);
  return tab;
}

async function plaintextsOf({ folder, database }: Followed): Promise<string[]> {
  const stored = await storedIn(folder, database);
  if (!stored.includes('eaasA')) throw new Error('the app must have stored ciphertexts (got none)');
  return stored.match(/ lovelace|@example|1815-|0gRefresh|sk_live|sk-ada/gi) ?? [];
}

async function filesWith(text: string, folder: string): Promise<string[]> {
  const command = ['-rlF', '--exclude-dir=node_modules', text, '.'];
  const { stdout } = await promisify(execFile)('grep', command, { cwd: folder });
  return stdout.trimEnd().split('\n');
}

async function typeCheck({ folder, files }: Followed): Promise<string> {
  const generated = ['worker-configuration.d.ts', '.svelte-kit/ambient.d.ts'];
  const types = generated.filter((file) => existsSync(join(folder, file)));
  const programs = files.filter((file) => /\.tsx?$/.test(file));
  if (programs.length === 0) return '';
  // The types of Drizzle pass only with `skipLibCheck`. The decorators are those of NestJS.
  const options =
    '--ignoreConfig --noEmit --strict --skipLibCheck --allowJs --allowImportingTsExtensions --experimentalDecorators ' +
    '--target es2024 --module preserve --jsx react-jsx --types node';
  const typeRoots = join(root, 'node_modules/@types');
  const tsc = join(root, 'node_modules/typescript/bin/tsc');
  const command = [tsc, ...options.split(' '), '--typeRoots', typeRoots, ...types, ...programs];
  return promisify(execFile)(process.execPath, command, { cwd: folder }).then(
    ({ stdout }) => stdout,
    ({ stdout }: { readonly stdout: string }) => stdout,
  );
}
