// The examples in doc comments, as editors show them: each compiles, and prints what its comments say.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '@eaas/test-kit/markdown';
import { saidBy, savePageCode } from '@eaas/test-kit/page-code';
import { afterAll, expect, test } from 'vitest';
import { sources } from '../house-rules/files.ts';
import { before, globals, notRun, world } from './example-world.ts';

interface Example {
  readonly path: string;
  readonly line: number;
  readonly code: string;
  readonly file: string;
}

const examples = sources.flatMap(({ path, text }): Example[] => {
  const found = text.matchAll(/^ *\* @example\n((?: *\*(?!\/| @).*\n)*)/gm);
  return Array.from(found, ({ 1: body = '', index }) => {
    const line = text.slice(0, index).split('\n').length;
    const code = body.replace(/^ *\* ?/gm, '').replace(/^```(?:ts)?\n/gm, '');
    return { path, line, code, file: `${path.replace(/\W/g, '-')}-${line}.mts` };
  });
});
const wrong = {
  path: '',
  line: 1,
  code: `const text: number = 'is';\nconsole.log(text); // was`,
  file: 'wrong.mts',
};
const runnable = examples.filter(({ path }) => notRun[path] === undefined);

/** Returns a module with an example, whose variables may have the names of those before it. */
function moduleOf({ path, code }: Example): string {
  const imports = code.match(/^import .*$/gm) ?? [];
  const first = before[path] ?? '';
  return `${imports.join('\n')}\n${first}\n{\n${code.replace(/^import .*\n/gm, '')}\n}\nexport {};\n`;
}

const databases = {
  pg: 'PgRemoteDatabase',
  mysql: 'MySqlRemoteDatabase',
  sqlite: 'SqliteRemoteDatabase',
} as const;

/** The examples of Drizzle's first functions, as somebody tries them, one after the other in one file. */
function storyOf(entry: keyof typeof databases): [file: string, code: string] {
  const told = examples.filter(({ path, code }) => {
    const isShared = path.endsWith('drizzle/src/walk.ts') && code.includes('excluded') && entry !== 'mysql';
    return isShared || (path === `packages/drizzle/src/${entry}.ts` && !code.includes('encryptedTableIn'));
  });
  const names: Record<string, string[]> = {};
  const code = told.map((each) => each.code.replaceAll('drizzle/pg', `drizzle/${entry}`)).join('\n');
  for (const [, found = '', from = ''] of code.matchAll(/^import \{ (.*) \} from '(.*)';$/gm)) {
    names[from] = [...(names[from] ?? []), ...found.split(', ')];
  }
  const imports = Object.entries(names).map(
    ([from, all]) => `import { ${[...new Set(all)].join(', ')} } from '${from}';\n`,
  );
  const plain = `declare const plain: import('drizzle-orm/${entry}-proxy').${databases[entry]};\n`;
  return [`story-${entry}.mts`, imports.join('') + plain + code.replaceAll(/^import .*\n/gm, '')];
}
const stories = Object.fromEntries((['pg', 'mysql', 'sqlite'] as const).map(storyOf));

// One process runs all of them, one after the other.
const runner = `
import './world.mts';
import { format } from 'node:util';
const printed: Record<string, string> = {};
const { log } = console;
console.error = () => {};
for (const file of ${JSON.stringify([...runnable, wrong].map(({ file }) => file))}) {
  printed[file] = '';
  console.log = (...args: unknown[]) => void (printed[file] += format(...args) + '\\n');
  await import('./' + file).catch((thrown: unknown) => console.log(thrown));
}
log(JSON.stringify(printed));
process.exit();
`;

const place = join(root, 'node_modules/.cache/examples');
rmSync(place, { recursive: true, force: true });
const saved = savePageCode(place, {
  ...Object.fromEntries([...examples, wrong].map((example) => [example.file, moduleOf(example)])),
  ...stories,
  'world.mts': world,
  'globals.d.ts': globals,
  'run.mts': runner,
});
afterAll(saved.remove);

test('the examples compile, and a wrong one does not', async () => {
  expect(examples.length).toBeGreaterThan(100);
  const complaint = "error TS2322: Type 'string' is not assignable to type 'number'.";
  expect(await saved.compile()).toMatch(new RegExp(`^wrong\\.mts\\(\\d+,7\\): ${complaint}\n$`));
});

test('the examples print what their comments say, and a wrong one does not', async () => {
  const printed = JSON.parse(await saved.run('run.mts')) as Record<string, string>;
  const resultOf = ({ path, line, file, code }: Example, output = saidBy(code)) => ({
    path,
    line,
    file,
    output,
  });
  const results = runnable.map((example) => resultOf(example, printed[example.file]));
  expect(results).toEqual(runnable.map((example) => resultOf(example)));
  expect(printed[wrong.file]).toBe('is\n');
  expect(saidBy(wrong.code)).toBe('was\n');
});
