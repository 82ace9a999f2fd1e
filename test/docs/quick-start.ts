// Follows a page of docs/start as its reader does: saves the files, types the commands, and compares what the page shows
// with what the terminal shows. What a reader would install from npm is copied from the folders of the other tests.
import { execFile } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { promisify, stripVTControlCharacters } from 'node:util';
import postgres from 'postgres';
import { expect, onTestFailed, onTestFinished } from 'vitest';
import type { TestDatabase } from '@eaas/test-kit/database';
import { freePort } from '@eaas/test-kit/free-port';
import type { App } from '@eaas/test-kit/installed-packages';
import { read, root } from '@eaas/test-kit/markdown';
import { eaas } from '@eaas/test-kit/program';
import { openTerminal } from '@eaas/test-kit/terminal';

const environment = {
  // Any free port. Other tests look for one from 8080 on at the same time.
  EAAS_PORT: '0',
  NEXT_TELEMETRY_DISABLED: '1',
  WRANGLER_SEND_METRICS: 'false',
  PRISMA_HIDE_UPDATE_MESSAGE: '1',
};

interface Block {
  readonly language: string;
  /** The name of the file that the reader saves. */
  readonly path?: string;
  readonly text: string;
}

interface Manifest {
  readonly name: string;
  readonly bin?: string | Readonly<Record<string, string>>;
}

interface Lock {
  readonly packages: Readonly<Record<string, Locked>>;
}

interface Locked {
  readonly version?: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
}

/** The blocks of a page or, if the reader follows one section, those before the first section and those in it. */
function blocksIn(page: string, section?: string): Block[] {
  const [start = '', ...sections] = read(page).split(/^## /m);
  const followed = sections.filter((text) => section === undefined || text.startsWith(`${section}\n`));
  if (followed.length === 0) throw new Error(`${page} must have the section ${section} (got none)`);
  const found = [start, ...followed].join('').matchAll(/^```(\S*)(?: (\S+))?\n(.*?)^```$/gms);
  return Array.from(found, ([, language = '', path, text = '']) => ({
    language,
    text,
    ...(path === undefined ? {} : { path }),
  }));
}

const commandsIn = (text: string): string[] =>
  text
    .replace(/\\\n\s*/g, '')
    .split('\n')
    .filter((line) => line !== '');

/**
 * Does what `npm install /tmp/eaas-*.tgz name@version …` would, without npm: our packages are those of `app`, and the others, with all
 * that they need, are copied from the first of the folders that has a version as the command asks for. A second command
 * names no tarballs.
 */
async function install(command: string, app: App, homes: readonly string[], folder: string): Promise<void> {
  const named = command.split(' ').slice(2);
  const modules = join(folder, 'node_modules');
  const isFirst = named[0]?.startsWith('/tmp/eaas-') === true;
  expect(isFirst).toBe(!existsSync(modules));
  if (isFirst) {
    named.shift();
    await copyFolder(join(app.directory, 'node_modules'), modules);
    for (const name of readdirSync(join(modules, '@eaas'))) linkPrograms(`@eaas/${name}`, folder);
  }
  const locks = homes.map((home) => ({
    home,
    packages: (JSON.parse(readFileSync(join(home, 'package-lock.json'), 'utf8')) as Lock).packages,
  }));
  for (const word of named) {
    const [, name = '', version = ''] = /^(@?[^@]+)@([\d.]+)$/.exec(word) ?? [];
    const place = `node_modules/${name}`;
    const found = locks.find(({ packages }) => `${packages[place]?.version}.`.startsWith(`${version}.`));
    if (!found) {
      throw new Error(`${word} must be in a lock file of ${homes.join(', ')} (got another version, or none)`);
    }
    for (const needed of withNeeds(place, found.packages)) await copyOnce(needed, found.home, folder);
  }
}

/** The places of a package, and of everything that it needs, as Node finds them. */
function withNeeds(
  place: string,
  packages: Lock['packages'],
  places: Set<string> = new Set(),
): ReadonlySet<string> {
  if (places.has(place)) return places;
  places.add(place);
  const { dependencies, optionalDependencies, peerDependencies } = packages[place] ?? {};
  for (const name of Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies })) {
    const folders = Array.from(place.matchAll(/\/node_modules\//g), ({ index }) => place.slice(0, index));
    const inside = [place, ...folders.toReversed()].map((folder) => `${folder}/node_modules/${name}`);
    const found = [...inside, `node_modules/${name}`].find((each) => packages[each]);
    if (found !== undefined) withNeeds(found, packages, places);
  }
  return places;
}

/** Copies a package with those inside it, and links its programs. Optional packages are missing on most machines. */
async function copyOnce(place: string, home: string, folder: string): Promise<void> {
  const [from, to] = [join(home, place), join(folder, place)];
  if (place.lastIndexOf('node_modules/') > 0 || !existsSync(from) || existsSync(to)) return;
  mkdirSync(dirname(to), { recursive: true });
  await copyFolder(from, to);
  linkPrograms(place.replace('node_modules/', ''), folder);
}

function linkPrograms(module: string, folder: string): void {
  const at = join(folder, 'node_modules', module);
  const { name, bin = {} } = JSON.parse(readFileSync(join(at, 'package.json'), 'utf8')) as Manifest;
  const programs = typeof bin === 'string' ? { [name.replace(/^.*\//, '')]: bin } : bin;
  mkdirSync(join(folder, 'node_modules/.bin'), { recursive: true });
  for (const [program, path] of Object.entries(programs)) {
    symlinkSync(join(at, path), join(folder, 'node_modules/.bin', program));
  }
}

// Links the files where the file system can, because they are hundreds of megabytes. No page changes a file of a package.
async function copyFolder(from: string, to: string): Promise<void> {
  const copy = (options: string) => promisify(execFile)('cp', [options, from, to]);
  await copy('-Rl').catch(async () => {
    await rm(to, { recursive: true, force: true });
    await copy('-R');
  });
}

export type Reader = Awaited<ReturnType<typeof follow>>;

/** What `prisma db push` needs an engine for, which npm does not bring. */
const prismaTable = `create table "Patient"
  (id text primary key, name text not null, email text not null, email_index text unique, born text not null)`;

interface Surroundings {
  readonly section?: string | undefined;
  /** What the reader's terminal has besides. */
  readonly variables?: Readonly<Record<string, string>>;
  readonly app: App;
  /** The folders that have what the reader installs. */
  readonly homes: readonly string[];
  readonly database: TestDatabase;
  /** Uses the app at this URL until the browser shows this block `text` of the page. */
  readonly browse: (url: string, shown: string) => Promise<void>;
}

/** Each port that the page names becomes a free one, and the URL of the reader's database that of `database`. */
export async function follow(page: string, surroundings: Surroundings) {
  const { section, app, homes, database, browse, variables } = surroundings;
  const place = mkdtempSync(join(tmpdir(), 'eaas-start-'));
  const ports = new Map<string, string>();
  for (const port of ['3000', '5173', '8787']) ports.set(port, String(await freePort()));
  const own = (text: string): string =>
    text
      .replace(/\b(?:3000|5173|8787)\b/g, (port) => ports.get(port) ?? port)
      .replace(/postgres:\/\/\S+\/clinic\b/g, urlOf(database));
  // The folder of a clone, whose examples the reader copies.
  let folder = join(place, 'eaas');
  mkdirSync(folder);
  symlinkSync(join(root, 'examples'), join(folder, 'examples'));
  // Without this path, Prisma downloads an engine. This one says that it can connect, and that `prisma db push` is done.
  const engine = join(place, 'engine');
  const done = '{"jsonrpc":"2.0","id":1,"result":{"executedSteps":1,"warnings":[],"unexecutable":[]}}';
  const script = `#!/bin/sh\ncase "$*" in *' cli '*) exit ;; esac\nread -r asked && echo '${done}' && cat\n`;
  writeFileSync(engine, script, { mode: 0o700 });
  const engines = { PRISMA_SCHEMA_ENGINE_BINARY: engine };
  const terminal = await openTerminal(folder, { ...environment, ...engines, ...variables });
  const program = eaas.map((word) => `'${word}'`).join(' ');
  await terminal.type(
    `npx() { if [ "$2" = @eaas/cli ]; then shift 2; ${program} "$@"; else command npx "$@"; fi; }`,
  );
  const files: string[] = [];
  let typedAt = 0;
  const textOf = (path: string): string => readFileSync(join(folder, path), 'utf8');
  const save = (path: string, text: string): void => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), own(text));
    files.push(path);
  };
  const type = async (command: string): Promise<void> => {
    if (/^npm (?:ci|pack)\b/.test(command)) return;
    if (command.startsWith('npm install ')) return install(command, app, homes, folder);
    expect(await terminal.type(command)).toMatchObject({ failed: [] });
    if (command === 'npx prisma db push') await execute(database, prismaTable);
    const [, entered] = /&& cd (\S+)$/.exec(command) ?? [];
    if (entered !== undefined) folder = join(folder, entered);
    if (command.startsWith('cp -R examples/')) for (const file of filesIn(folder)) save(file, textOf(file));
  };
  const close = async (): Promise<void> => {
    // As `kill %1` does, this ends each job with the processes that it started.
    await terminal.type('for job in $(jobs -p); do kill -- -$job; done; wait');
    await terminal.close();
    await rm(place, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
  };
  onTestFinished(close);
  onTestFailed(() => void process.stdout.write(asSeen(terminal.shown())));
  for (const { language, path, text } of blocksIn(page, section)) {
    if (path !== undefined && language === 'diff') save(path, changed(textOf(path), own(text)));
    else if (path !== undefined && files.includes(path)) expect(textOf(path)).toBe(own(text));
    else if (path !== undefined) save(path, text);
    else if (language === 'sh') {
      typedAt = terminal.shown().length;
      for (const command of commandsIn(own(text))) await type(command);
    } else if (language === 'text') {
      await browse(own(/http:\/\/localhost:\d+/.exec(read(page))?.[0] ?? ''), text.trimEnd());
    } else if (language === '') {
      await expect.poll(() => asSeen(terminal.shown().slice(typedAt))).toMatch(patternOf(own(text)));
    }
  }
  return { folder, files };
}

/** Replaces lines that a page marks with `-` by those with `+` that follow, and puts others with `+` first. */
function changed(text: string, change: string): string {
  const [first = '', ...others] = change.split(/^(?=-)/m);
  const added = (lines: string): string => lines.replaceAll(/^\+/gm, '');
  return others.reduce(
    (before, each) => {
      const [, old = '', now = ''] = /^-(.*\n)([^]*)$/.exec(each) ?? [];
      if (!before.includes(old)) {
        throw new Error(`the file must have the line that changes (got none like ${old})`);
      }
      return before.replace(old, () => added(now));
    },
    added(first) + text,
  );
}

/** The URL for programs that know no percent-encoded path of a socket, as the URL of the kit has it. */
function urlOf({ connection }: TestDatabase): string {
  const { host, port, database, username } = connection('owner');
  return `postgres://${username}@localhost:${port}/${database}?host=${host}`;
}

async function execute({ connection }: TestDatabase, statement: string): Promise<void> {
  const sql = postgres({ ...connection('owner'), max: 1 });
  await sql.unsafe(statement);
  await sql.end();
}

/** What the app stored: the files of SQLite in its folder, the cookies of curl, and the rows in the reader's database. */
export async function storedIn(folder: string, { connection }: TestDatabase): Promise<string> {
  const names = [...readdirSync(folder), ...filesIn(folder, '.wrangler')];
  const files = names.filter((file) => /\.(?:jsonl|db|sqlite)(?:-wal)?$|^jar\.txt$/.test(file));
  const sql = postgres({ ...connection('owner'), max: 1 });
  const tables = await sql<{ name: string }[]>`
    select table_name as name from information_schema.tables where table_schema = 'public'`;
  const rows: string[] = [];
  for (const { name } of tables) {
    for (const { row } of await sql<{ row: string }[]>`select t::text as row from ${sql(name)} t`) {
      rows.push(row);
    }
  }
  await sql.end();
  return [...files.map((file) => readFileSync(join(folder, file), 'latin1')), ...rows].join('\n');
}

function filesIn(folder: string, name = ''): string[] {
  if (!existsSync(join(folder, name))) return [];
  return readdirSync(join(folder, name), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)));
}

/** What the reader sees: no colours, which programs print where `CI` is set, and not what the kit prints after each command. */
const asSeen = (shown: string): string =>
  stripVTControlCharacters(shown).replace(/\n([\da-f-]{36})\n[^]*?\1\n/g, '');

/** The lines of a text, one after the other; `…` is anything within a line. */
function patternOf(text: string): RegExp {
  const literal = text.trimEnd().replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  return new RegExp(`^${literal.replaceAll('…', '.*')}$`, 'm');
}
