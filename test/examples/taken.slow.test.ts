// The actions of two start pages, as their files have them, for two people who enter the same address at the same time.
import { symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { build } from 'esbuild';
import { expect, onTestFinished, test } from 'vitest';
import { newDirectory } from '@eaas/test-kit/directory';
import { root } from '@eaas/test-kit/markdown';
import { run } from '@eaas/test-kit/program';
import { requireTools } from '@eaas/test-kit/tools';
import { openSurroundings } from './example.ts';

interface Start {
  readonly framework: string;
  readonly file: string;
  /** Calls the action with the form of a request, and returns what the page then says. */
  readonly call: string;
}

const starts: readonly Start[] = [
  { framework: 'Next.js', file: 'next/app/actions.ts', call: `page.add('', form)` },
  {
    framework: 'SvelteKit',
    file: 'sveltekit/src/routes/+page.server.ts',
    call: `(await page.actions.add({ request: new Request('http://localhost', { method: 'POST', body: form }) })).answer`,
  },
];

test.each(starts)(
  'of two people who enter an address at the same time, $framework adds one and tells the other',
  async ({ file, call }) => {
    const { env, close } = await openSurroundings();
    onTestFinished(close);
    const folder = await folderWith(file, call);

    const { code, stdout, stderr } = await run([process.execPath, 'both.mjs'], env, { cwd: folder });

    expect(stderr).toBe('');
    expect(code).toBe(0);
    const answers = JSON.parse(stdout) as string[];
    expect(answers.toSorted()).toEqual([
      expect.stringMatching(/^Added (?:Ada|Grace)\.$/),
      'This address is taken.',
    ]);
  },
);

/** Makes a folder with a program that calls the action of a file twice at once. The framework is played. */
async function folderWith(file: string, call: string): Promise<string> {
  const folder = await newDirectory();
  const modules = await requireTools('test/tools/drizzle');
  await symlink(modules, join(folder, 'node_modules'));
  const framework = join(folder, 'framework.mjs');
  await writeFile(framework, 'export const revalidatePath = () => {};\nexport const { env } = process;\n');
  const program = `
    import * as page from ${JSON.stringify(join(root, 'examples/start', file))};
    const answerFor = async (name) => {
      const form = new FormData();
      form.set('name', name);
      form.set('email', 'same@example.com');
      form.set('born', '1815-12');
      return ${call};
    };
    console.log(JSON.stringify(await Promise.all(['Ada', 'Grace'].map(answerFor))));
    process.exit();`;
  await build({
    stdin: { contents: program, resolveDir: root },
    outfile: join(folder, 'both.mjs'),
    bundle: true,
    platform: 'node',
    format: 'esm',
    external: ['@libsql/*'],
    alias: {
      'drizzle-orm': join(modules, 'drizzle-orm'),
      'next/cache': framework,
      '$env/dynamic/private': framework,
    },
  });
  return folder;
}
