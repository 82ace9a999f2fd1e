// Breaks that nobody chose: drawn by a seed from the files that decide, so that the share of those that are noticed says
// something of the faults that nobody has thought of. Run by `npm run prove -- drawn 60`.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { parseSync } from 'vite';
import { chanceOf } from '../../packages/service/test/simulation/plan.ts';
import { copySources, root, runTests, type TestedFile } from './copied-sources.ts';
import { lasting } from './trial.ts';

/** The files that decide: what they do wrong loses data, lets somebody in, or tells something false. */
const deciding: Readonly<Record<string, string>> = {
  'service/src': 'answer caller operate crypto/sealing crypto/tenant-secrets',
  'service/src/ledger':
    'guess head-memory judge ledger link queue remembered row-macs shared-read tenant-cache',
  'service/src/operations': 'audit data-keys export keys',
  'service/src/plugins': 'intake/index issuers/token-rules people/keying',
  'service/src/rules': 'api-key-rules authorize data-key-rules key-rules server-mode-rules',
  'service/src/verify': 'entries scan-rows verify',
  'server/src':
    'fair http/body http/connections postgres/database postgres/postgres-store postgres/query state/head-file',
  'protocol/src': 'audit-chain context envelope log-history log/proof seal stream-format',
  'sdk/src/data-keys': 'cache calls encrypting',
  'sdk/src/fields': 'core decrypt-rows encrypt-rows fingerprints',
  'sdk/src': 'half/halves http/batches',
  'drizzle/src': 'insert walk writes',
  'prisma/src': 'where writes',
  'kysely/src': 'check columns',
  'local/src': 'file-lock key-file secret sealed',
  'migrate/src': 'encrypting rewrap',
  'audit/src': 'walk page/verdict',
  'cli/src': 'config-values export-file',
};
export const decidingFiles: readonly string[] = Object.entries(deciding).flatMap(([folder, names]) =>
  names.split(' ').map((name) => `packages/${folder}/${name}.ts`),
);

export interface DrawnBreak {
  readonly name: string;
  readonly file: string;
  readonly from: number;
  readonly to: number;
  readonly text: string;
}

interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [member: string]: unknown;
}

const opposite: Readonly<Record<string, string>> = {
  '===': '!==',
  '!==': '===',
  '<': '>=',
  '>=': '<',
  '>': '<=',
  '<=': '>',
};
const others: Readonly<Record<string, string>> = { every: 'some', some: 'every' };
const droppable = new Set(['ExpressionStatement', 'IfStatement', 'ThrowStatement']);

type Place = readonly [kind: string, from: number, to: number, text: string];

/** The break that a node gives, if it gives one. */
function placeAt(node: Node, source: string, isInBlock: boolean): Place | undefined {
  const { type, start, end } = node;
  const [left, right] = [node['left'], node['right']] as (Node | undefined)[];
  const operator = String(node['operator']);
  if (type === 'BinaryExpression' && left && right && operator in opposite) {
    const at = source.indexOf(operator, left.end);
    return ['a comparison negated', at, at + operator.length, opposite[operator] as string];
  }
  if (type === 'LogicalExpression' && operator === '??' && left) return ['a ?? dropped', left.end, end, ''];
  if (type === 'AwaitExpression') return ['an await dropped', start, start + 'await'.length, ''];
  if (type === 'MemberExpression') {
    const { name = '', start: from, end: to } = node['property'] as { name?: string } & Node;
    return Object.hasOwn(others, name)
      ? [`${name} for ${others[name]}`, from, to, others[name] as string]
      : undefined;
  }
  const isWhole = isInBlock && droppable.has(type) && !node['alternate'] && !node['directive'];
  return isWhole ? ['a statement dropped', start, end, ''] : undefined;
}

/** All breaks of a file, by their kind. */
export function breaksOf(file: string, source: string): ReadonlyMap<string, readonly DrawnBreak[]> {
  const byKind = new Map<string, DrawnBreak[]>();
  const visit = (node: Node, isInBlock: boolean): void => {
    const place = placeAt(node, source, isInBlock);
    if (place) {
      const [kind, from, to, text] = place;
      const line = source.slice(0, from).split('\n').length;
      const shown = source.slice(node.start, node.end).replace(/\s+/g, ' ').slice(0, 100);
      const name = `${file}:${line}: ${kind}: ${shown}`;
      const same = byKind.get(kind) ?? [];
      same.push({ name, file, from, to, text });
      byKind.set(kind, same);
    }
    for (const [member, value] of Object.entries(node)) {
      const isStatement = member === 'body' && Array.isArray(value) && node.type !== 'ClassBody';
      for (const child of [value].flat()) if (isNode(child)) visit(child, isStatement);
    }
  };
  visit(parseSync(file, source).program as unknown as Node, false);
  return byKind;
}

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && typeof (value as Node).type === 'string';

/** Draws breaks: first a file, then a kind, then a place. */
export function drawBreaks(count: number, seed: number): readonly DrawnBreak[] {
  const chance = chanceOf(seed);
  const kinds = new Map<string, readonly (readonly DrawnBreak[])[]>();
  const drawn = new Map<string, DrawnBreak>();
  while (drawn.size < count) {
    const file = chance.pick(decidingFiles);
    const here =
      kinds.get(file) ?? Array.from(breaksOf(file, readFileSync(join(root, file), 'utf8')).values());
    kinds.set(file, here);
    const one = chance.pick(chance.pick(here));
    drawn.set(`${file} ${one.from}`, one);
  }
  return Array.from(drawn.values());
}

/** The unit tests beside the file and above it in its package, and those of the package as a whole. */
export function testsAround(file: string): string[] {
  const whole = `packages/${file.split('/')[1]}`;
  const above: string[] = [];
  for (let folder = dirname(file); folder !== whole; folder = dirname(folder)) above.push(folder);
  const inFolder = (folder: string, recursive: boolean): string[] => {
    if (!existsSync(join(root, folder))) return [];
    const names = readdirSync(join(root, folder), { recursive, encoding: 'utf8' });
    return names
      .filter((name) => /(?<!\.slow|\.service)\.test\.ts$/.test(name))
      .map((name) => join(folder, name));
  };
  return [...above.flatMap((folder) => inFolder(folder, false)), ...inFolder(`${whole}/test`, true)];
}

/** Packages whose tests also meet what another package decides. */
const alsoTestedBy: Readonly<Record<string, readonly string[]>> = {
  protocol: ['sdk', 'audit', 'log', 'server'],
  service: ['server', 'log'],
  server: ['cli', 'log'],
  sdk: ['drizzle', 'prisma', 'kysely', 'migrate'],
  audit: ['cli', 'log'],
};

/** The folders whose unit and service tests are related to a file. */
export function foldersRelatedTo(file: string): string[] {
  const [, name = ''] = file.split('/');
  return [name, ...(alsoTestedBy[name] ?? [])].map((each) => `packages/${each}/`);
}

/** So many of the breaks that are not equal must be noticed. */
const floor = 0.8;
/** How long the tests of one break may take, in minutes. One that takes longer is noticed: it never ends. */
const patience = 6;

/** Judges breaks in one copy of the sources. */
class Jury {
  readonly #copy: string;

  constructor(copy: string) {
    this.#copy = copy;
  }

  /** The files of tests that fail with a break, or undefined if the tests ended without a report. */
  async failing(
    one: DrawnBreak | undefined,
    args: readonly string[],
    minutes = patience,
  ): Promise<string[] | undefined> {
    if (one) await this.#write(one, true);
    const report = await runTests(this.#copy, args, minutes);
    if (one) await this.#write(one, false);
    return report?.filter(hasFailed).map(({ name }) => name);
  }

  /** Who notices a break: the unit tests beside it, or else what is related to it. Undefined if nobody does. */
  async noticing(one: DrawnBreak): Promise<string | undefined> {
    const beside = [...testsAround(one.file), '--project=unit', '--bail=1'];
    const related = [...foldersRelatedTo(one.file), '--project=unit', '--project=service', '--bail=1'];
    for (const tests of [beside, related]) {
      const files = await this.failing(one, tests);
      if (files?.length !== 0) return files?.join(', ') ?? 'tests that did not end';
    }
    return undefined;
  }

  async #write({ file, from, to, text }: DrawnBreak, isBroken: boolean): Promise<void> {
    const source = await readFile(join(root, file), 'utf8');
    const broken = source.slice(0, from) + text + source.slice(to);
    await writeFile(join(this.#copy, file), isBroken ? broken : source);
  }
}

const hasFailed = ({ status, assertionResults }: TestedFile): boolean =>
  status === 'failed' || assertionResults.some((test) => test.status === 'failed');

/** Draws breaks, and returns whether the tests notice enough of them. */
export async function proveDrawn(count: number, seed: number): Promise<boolean> {
  console.log(`${count} breaks, drawn by the seed ${seed}: npm run prove -- drawn ${count} --seed=${seed}`);
  const drawn = drawBreaks(count, seed);
  const left: DrawnBreak[] = [];
  try {
    const jury = new Jury(await copySources());
    const folders = [...new Set(drawn.flatMap(({ file }) => foldersRelatedTo(file)))];
    const failing = await jury.failing(undefined, [...folders, '--project=unit', '--project=service'], 30);
    if (failing?.length !== 0) {
      throw new Error(`fails without a break too: ${failing?.join(', ') ?? 'no end'}`);
    }
    for (const [index, one] of drawn.entries()) {
      const noticedBy = await jury.noticing(one);
      if (noticedBy === undefined) left.push(one);
      const verdict = noticedBy === undefined ? 'SURVIVES' : `noticed by ${noticedBy}`;
      console.log(`${index + 1}. ${one.name}\n   ${verdict}`);
    }
  } finally {
    await lasting.close();
  }
  const noticed = count - left.length;
  const share = Math.round((100 * noticed) / count);
  console.log(`\n${noticed} of ${count} noticed (${share} %). Not noticed, or equal:`);
  for (const { name } of left) console.log(`  ${name}`);
  return noticed >= floor * count;
}
