import { execFileSync } from 'node:child_process';
import { symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { newDirectory } from '@eaas/test-kit/directory';
import { closing } from '@eaas/test-kit/closing';
import { eaas } from '@eaas/test-kit/program';
import { createDatabase } from '@eaas/test-kit/database';
import { blocksNotRun } from './blocks-not-run.ts';
import { blocksOf, manualPages, read, root } from '@eaas/test-kit/markdown';
import { openTerminal } from '@eaas/test-kit/terminal';

const guides = ['README.md', ...listed('docs'), ...listed('packages')];

function listed(folder: string): string[] {
  const names = execFileSync('git', ['ls-files', `${folder}/*.md`], { cwd: root, encoding: 'utf8' });
  // quick-start.slow.test.ts types the pages of docs/start and the skill.
  const others = /\/(?:reference|test)\/|^(?:docs\/start|skills)\//;
  return names.split('\n').filter((name) => name !== '' && !others.test(name));
}

const firstLine = (block: string): string => block.split('\n')[0] ?? '';

/** The pages of the manual with commands to type, in their order. */
const withCommands = manualPages.filter((page) => typedIn(page).length > 0);

const otherPages = ['packages/sdk/docs/half.md', 'docs/evidence.md'];

function typedIn(document: string): string[] {
  const exceptions = blocksNotRun[document] ?? {};
  if (typeof exceptions === 'string') return [];
  return blocksOf(read(document), 'sh').filter((block) => !exceptions[firstLine(block)]);
}

const before: Readonly<Record<string, string>> = {
  'npm run --silent sbom > eaas.cdx.json': `cd '${root}'`,
  'export NODE_EXTRA_CA_CERTS=/etc/eaas/database-ca.pem':
    'openssl req -x509 -newkey rsa:2048 -nodes -keyout /dev/null -out database-ca.pem -subj /CN=ca 2> /dev/null',
  [`jq -rR 'fromjson? | select(.route // "" | test("unwrap|decrypt")) | [.tenant_id, .actor] | @tsv' server.log |`]: `printf 'Eaas listens\n{"route":"/v1/decrypt","tenant_id":"t","actor":"a"}\n' > server.log`,
  'eaas audit verify --tenant acme --checkpoint-file acme.checkpoint':
    'eaas audit checkpoint --tenant acme > acme.checkpoint',
  'eaas audit replay acme.ndjson --tenant acme --checkpoint acme.checkpoint':
    'eaas audit export --tenant acme --out acme.ndjson',
  'printf %s "$SUBJECT" | eaas subject report --tenant acme --format csv > report.csv':
    'SUBJECT=42; printf %s 42 | eaas subject erase --tenant acme --create --yes',
  'eaas key min-version patients 2 --tenant acme':
    'eaas key restore patients --tenant acme && eaas key enable patients --tenant acme',
  'export EAAS_ISSUER_HOSTS=spire.example':
    'EAAS_KEY_ID=$(eaas key create --tenant acme --name orders --json | jq -r .key_id)',
  'eaas audit verify --json': 'eaas audit checkpoint --tenant acme > acme.checkpoint',
  'eaas audit follow --tenant acme --once | jq -c \'select(.action == "key.unwrap")\'':
    'rm acme.* && eaas tenant create --name acme && eaas key create --tenant acme --name patients',
  'npx --no-install @eaas/cli audit evidence --tenant acme --key shop-7 --out shop-7':
    'printf 42 > subject.txt; eaas key create --tenant acme --name shop-7 && printf 42 | eaas subject erase --tenant acme --create --yes',
};

const folder = await newDirectory();
await symlink(join(root, 'examples'), join(folder, 'examples'));
const database = await createDatabase();
const terminal = await closing(openTerminal(folder), (it) => it.close());
const words = eaas.map((word) => `'${word}'`).join(' ');
await terminal.type(`eaas() { ${words} "$@"; }; npx() { shift 2; eaas "$@"; }`);

test('blocks-not-run.ts lists only command blocks that exist in the documents', () => {
  for (const [document, exceptions] of Object.entries(blocksNotRun)) {
    const lines = new Set(blocksOf(read(document), '(?:sh|js)').map(firstLine));
    expect(lines.size).toBeGreaterThan(0);
    const named = typeof exceptions === 'string' ? [] : Object.keys(exceptions);
    expect(named.filter((line) => !lines.has(line))).toEqual([]);
  }
});

test('the commands in every document are run, unless the document is a listed exception', () => {
  const typed = [...withCommands, ...otherPages, 'docs/releasing.md'];
  const left = guides.filter((document) => typedIn(document).length > 0);
  expect(left.toSorted()).toEqual(typed.toSorted());
});

async function own(block: string): Promise<string> {
  const found = async (command: string, pattern: RegExp): Promise<string> =>
    pattern.exec((await terminal.type(`eaas ${command} --tenant acme`)).output)?.[0] ?? '';
  const id = '00000000-0000-4000-8000-000000000000';
  const verifier = 'eaas/…+…+…';
  const apiKey = block.includes(id) ? await found('api-key list --json', /(?<="api_key_id":")[^"]+/) : '';
  const key = block.includes(verifier) ? await found('audit checkpoint', /eaas\/\S+\+\S+\+\S+/) : '';
  return block
    .replace(/postgres:\/\/eaas_owner:\S+/, () => database.url('owner'))
    .replace(/postgres:\/\/eaas_server:\S+/, () => database.url('server'))
    .replaceAll('/etc/eaas/', `${folder}/`)
    .replaceAll('eaas.cdx.json', `${folder}/eaas.cdx.json`)
    .replaceAll(id, apiKey)
    .replaceAll(verifier, key);
}

async function typeAll(document: string): Promise<{ readonly block: string; readonly output: string }[]> {
  const broken: { readonly block: string; readonly output: string }[] = [];
  for (const block of typedIn(document)) {
    for (const lines of [before[firstLine(block)] ?? '', await own(block)]) {
      const { output, failed } = await terminal.type(lines);
      if (failed.length > 0) broken.push({ block: lines, output });
    }
  }
  return broken;
}

test('the commands in the operator’s manual work in their order, in one terminal', async () => {
  for (const page of withCommands) {
    expect({ page, broken: await typeAll(page) }).toEqual({ page, broken: [] });
  }
});

test.each(otherPages)('the command in %s works after the commands in the manual', async (page) => {
  expect(await typeAll(page)).toEqual([]);
});

test('the commands in the guide for releases work in a clone', async () => {
  expect(await terminal.type(`git clone --quiet '${root}' clone && cd clone`)).toMatchObject({ failed: [] });
  expect(await typeAll('docs/releasing.md')).toEqual([]);
  const { output } = await terminal.type(`cd ${folder} && jq -r .bomFormat eaas.cdx.json`);
  expect(output.trim()).toBe('CycloneDX');
});
