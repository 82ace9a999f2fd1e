// The code and the commands of single pages, which print what the pages say.
import { execFileSync } from 'node:child_process';
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { closing } from '@eaas/test-kit/closing';
import { blocksOf, read, root } from '@eaas/test-kit/markdown';
import { savePageCode } from '@eaas/test-kit/page-code';
import { eaas, run } from '@eaas/test-kit/program';
import { openTerminal } from '@eaas/test-kit/terminal';
import { expect, test } from 'vitest';
import { leakageTable, measureLeakage, publicList } from '../../packages/migrate/src/leakage.ts';
import { createIndexKey } from '../../packages/sdk/src/fields/fields.ts';
import { fillPeople, openPlayedDatabase } from './played-database.ts';

const terminalIn = async (folder: string) => closing(openTerminal(folder), (it) => it.close());
const saved = async (name: string, files: Readonly<Record<string, string>>) =>
  closing(savePageCode(join(root, 'node_modules/.cache', name), files), ({ remove }) => remove());

test('the command in fields.md prints an index key that the app can use', async () => {
  const { folder } = await saved('index-key-command', { '.env': '' });
  const terminal = await terminalIn(folder);
  const service = '@eaas/test-kit/played-service';
  await terminal.type(
    `node() { command node --conditions=@eaas/source --import tsx --import '${service}' "$@"; }`,
  );
  const [command = ''] = blocksOf(read('packages/sdk/docs/fields.md'), 'sh');
  const output = expect.stringMatching(/^EAAS_INDEX_KEY=eaas_ik_1\.\S+\n$/) as string;
  expect(await terminal.type(command)).toMatchObject({ output, failed: [] });
});

test('the command in audit.md verifies a file of entries, as the page says that one writes them', async () => {
  const page = read('packages/sdk/docs/audit.md');
  const program = [
    "import { appendFileSync } from 'node:fs';",
    "import { eaas, service } from '@eaas/test-kit/played-service';",
    // A page of `audit.list` has 100 entries.
    "for (let key = 0; key < 120; key++) await service.createKey('customers ' + key);",
    'const { checkpoint, verifier_key } = await eaas.audit.checkpoint();',
    "appendFileSync('acme.checkpoint', checkpoint);",
    "for await (const entry of eaas.audit.list({}, { order: 'oldest' }))",
    "  appendFileSync('acme.ndjson', JSON.stringify(entry) + '\\n');",
    'console.log(verifier_key);',
  ];
  const writer = await saved('written-log', { 'program.mts': program.join('\n') });
  const verifierKey = (await writer.run('program.mts')).trim();
  const typed = blocksOf(page, 'sh').find((block) => block.includes('verify-file')) ?? '';
  const command = typed.trim().split('\n').at(-1) ?? '';
  const [npx, noInstall, server, ...words] = command.replaceAll("'", '').split(' ');
  expect([npx, noInstall, server]).toEqual(['npx', '--no-install', '@eaas/cli']);
  const verify = () => run([...eaas, ...words.slice(0, -1), verifierKey], {}, { cwd: writer.folder });
  const stdout = expect.stringMatching(/: valid, entries 1 to 12\d\n$/) as string;
  expect(await verify()).toEqual({ code: 0, stdout, stderr: '' });
  appendFileSync(join(writer.folder, 'acme.ndjson'), '{}\n');
  expect(await verify()).toMatchObject({ code: 2 });
});

test('the commands of the page about a changed log print what the page says', async () => {
  const page = read('examples/tampered-log/README.md');
  const outputAfter = (block: string): string =>
    blocksOf(page.split(`\n${block}\`\`\`\n`)[1] ?? '', '')[0]?.trim() ?? '';
  const terminal = await terminalIn(root);
  const words = eaas.map((word) => `'${word}'`).join(' ');
  await terminal.type(`npx() { shift 2; ${words} "$@"; }`);
  const failed: number[] = [];
  for (const command of blocksOf(page, 'sh')) {
    const typed = await terminal.type(command);
    expect(typed.output.trim()).toBe(outputAfter(command));
    failed.push(typed.failed.length);
  }
  // The second command refuses the file.
  expect(failed).toEqual([0, 1]);
});

test.each(['north', 'south'])('OpenSSL alone verifies the witness %s of the changed log', (witness) => {
  const command = ['examples/tampered-log/witness.sh', witness];
  const said = execFileSync('sh', command, { cwd: root, encoding: 'utf8' });
  expect(said).toBe('Signature Verified Successfully\n');
});

test('the page about leakage shows what the command prints for its table', async () => {
  const page = read('packages/migrate/docs/leakage.md');
  const block = (start: string) => page.match(new RegExp(`${start}(.*?)\n\`\`\``, 's'))?.[1] ?? '';
  // It takes the place of the network.
  const { eaas: played } = await import('@eaas/test-kit/played-service');
  await using database = await openPlayedDatabase();
  const { sql } = database;
  await fillPeople(sql, played, await createIndexKey(played));
  const query = (statement: string, values: string[]) => sql.unsafe(statement, values);
  const report = await measureLeakage({ query }, 'people', {
    lists: { name_index: publicList(block('```csv\n')) },
  });
  expect(leakageTable(report)).toBe(`people: ${block('\npeople: ')}`);
  expect(report.columns[0]?.guessed).toBe(200);
});
