import { execFile } from 'node:child_process';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { createDatabase } from '@eaas/test-kit/database';
import { type App, installPackages } from '@eaas/test-kit/installed-packages';
import { read, root } from '@eaas/test-kit/markdown';
import { requireTools, type Tools } from '@eaas/test-kit/tools';
import { follow, storedIn } from './quick-start.ts';

/** The pages, each with the folders that have what its reader installs. */
const pages: readonly { readonly page: string; readonly tools: readonly Tools[] }[] = [
  { page: 'docs/start/script.md', tools: ['packages/sdk/test/orms/kysely', 'test/tools/drizzle'] },
  { page: 'docs/start/express.md', tools: ['packages/sdk/test/frameworks/express', 'packages/prisma/test'] },
];

let app: App;

beforeAll(async () => {
  app = await installPackages();
});

afterAll(() => app.remove());

test.each(pages)(
  '$page works as its reader types it, and its programs type-check',
  async ({ page, tools }) => {
    const homes = [root];
    for (const name of tools) homes.push(dirname(await requireTools(name)));
    const database = await createDatabase();
    onTestFinished(() => database.drop());
    const { folder, files } = await follow(page, { app, homes, database });
    const stored = await storedIn(folder, database);
    expect(stored).toContain('eaasA');
    expect(stored).not.toMatch(/lovelace|example\.com|1815/i);
    const programs = files.filter((file) => file.endsWith('.ts'));
    expect(await typeCheck(folder, programs)).toBe('');
  },
);

test.each(pages)(
  '$page has at most 600 words beside its code, and at most four links to read on',
  ({ page }) => {
    const prose = read(page).replace(/^```.*?^```$/gms, '');
    expect(prose.split(/\s+/).length).toBeLessThanOrEqual(600);
    const [, readOn = ''] = prose.split('## Read on');
    expect(readOn.split('](').length - 1).toBeGreaterThan(0);
    expect(readOn.split('](').length - 1).toBeLessThanOrEqual(4);
  },
);

function typeCheck(folder: string, files: readonly string[]): Promise<string> {
  const options = [
    '--noEmit',
    '--allowImportingTsExtensions',
    '--strict',
    '--target',
    'es2024',
    '--module',
    'nodenext',
  ];
  // The types of Drizzle pass only with `skipLibCheck`.
  const more = [
    '--ignoreConfig',
    '--skipLibCheck',
    '--types',
    'node',
    '--typeRoots',
    join(root, 'node_modules/@types'),
  ];
  const command = [join(root, 'node_modules/typescript/bin/tsc'), ...options, ...more, ...files];
  return promisify(execFile)(process.execPath, command, { cwd: folder }).then(
    ({ stdout }) => stdout,
    ({ stdout }: { readonly stdout: string }) => stdout,
  );
}
