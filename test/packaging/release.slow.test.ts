// The whole release but for publishing: what git tracks gets the next version and is built in two folders, in one as the
// workflow does it and in the other as the README says, and each package is installed alone in an empty app.
import { execFile } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseEnv, promisify } from 'node:util';
import { afterAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { closing } from '@eaas/test-kit/closing';
import { newDirectory } from '@eaas/test-kit/directory';
import { listening } from '@eaas/test-kit/listening';
import { blocksOf, codesIn, commandsOf, read, root } from '@eaas/test-kit/markdown';
import { inherited, run, serve } from '@eaas/test-kit/program';
import { type Manifest, publishedPackages } from '@eaas/test-kit/published';
import { requireTools } from '@eaas/test-kit/tools';
import { calls } from './calls.ts';

interface Packed extends Manifest {
  readonly version: string;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}
interface Publint {
  readonly publint: (options: object) => Promise<{ readonly messages: readonly unknown[] }>;
}
interface AreTheTypesWrong {
  readonly createPackageFromTarballData: (tarball: Uint8Array) => object;
  readonly checkPackage: (
    packed: object,
  ) => Promise<{ readonly types: unknown; readonly problems?: readonly Problem[] }>;
}
interface Problem {
  readonly kind: string;
  readonly resolutionKind?: string;
  readonly resolutionOption?: string;
}
interface Workflow {
  readonly jobs: Readonly<Record<string, { steps: { name?: string; run?: string }[] }>>;
}

const place = await newDirectory();
const [one, other] = [join(place, 'one'), join(place, 'the-other/of-two')];
const packedIn = { one: join(one, 'release'), other: join(place, 'as-in-the-readme') };

/** A registry of npm with what was published: nothing at first. npm asks it for our names, and the real one for all others. */
const published = new Map<string, Packed>();
const registry = createServer((request, response) => {
  const path = decodeURIComponent(request.url ?? '').slice(1);
  if (path.endsWith('.tgz')) return response.end(readFileSync(join(packedIn.one, path)));
  const manifest = published.get(path);
  if (!manifest) return response.writeHead(404).end('{}');
  const { name, version } = manifest;
  const dist = { tarball: `${registryUrl}/${tarballOf(name)}` };
  const versions = { [version]: { ...manifest, dist } };
  return response.end(JSON.stringify({ name, 'dist-tags': { latest: version }, versions }));
});
const registryUrl = `http://127.0.0.1:${await listening(registry)}`;

const strictly = ['--norc', '-euo', 'pipefail', '-c'];

async function shell(script: string, cwd: string, env: Readonly<Record<string, string>> = {}) {
  const options = { cwd, env: environment(env), maxBuffer: 64 * 1024 * 1024 };
  return (await promisify(execFile)('bash', [...strictly, script], options)).stdout.trim();
}
const environment = (env: Readonly<Record<string, string>>) => ({
  ...inherited(),
  npm_config_loglevel: 'error',
  npm_config_fund: 'false',
  npm_config_audit: 'false',
  npm_config_prefer_offline: 'true',
  'npm_config_@eaas:registry': registryUrl,
  ...env,
});

const { jobs } = parse(read('.github/workflows/release.yml')) as Workflow;
function step(job: string, name: string): string {
  const found = jobs[job]?.steps.find((one) => one.name?.startsWith(name))?.run;
  if (found === undefined) throw new Error(`release.yml has no step "${name}"`);
  return found;
}

// Without the history: Changesets would look for more of it in a shallow clone, such as that of CI, for ever.
const commit =
  'git add --all && git -c user.name=Eaas -c user.email=eaas@localhost commit --quiet --allow-empty -m All';
// `git stash create` fails if only the times of files have changed, which `git status` notes.
const now = (await shell('git status > /dev/null && git stash create', root)) || 'HEAD';
await shell(`mkdir '${one}' '${packedIn.other}' && git archive ${now} | tar -x -C '${one}'`, root);
await shell(
  `git init --quiet && ${commit} && npm ci --ignore-scripts && npm run version-packages && ${commit}`,
  one,
);
await shell(`git clone --quiet one '${other}'`, place);

const output = join(place, 'output');
await shell(step('build', 'Find out'), one, { GITHUB_OUTPUT: output });
const { version = '', names = '' } = Object.fromEntries(
  readFileSync(output, 'utf8')
    .split('\n')
    .map((line) => line.split('=', 2)),
) as Record<string, string>;
const tarballOf = (name: string): string => `${name.slice(1).replace('/', '-')}-${version}.tgz`;

const documented = (start: string): string => {
  const typed = [...codesIn(read('docs/start/README.md')), ...commandsOf(read('README.md'))];
  return (typed.find((code) => code.startsWith(start)) ?? 'false').replace('/tmp', packedIn.other);
};
await Promise.all([
  shell(`npm run build && npm run reference && ${step('build', 'Pack')}`, one, { NAMES: names }),
  shell(`npm ci && npm run reference && ${documented('npm pack ')}`, other),
]);
const files = join(place, 'files');
for (const [from, folder] of Object.entries(packedIn)) {
  const unpack =
    'mkdir -p "$INTO/$name" && tar -xzf eaas-$name-$VERSION.tgz --strip-components=1 -C "$INTO/$name"';
  const env = { NAMES: names, VERSION: version, INTO: join(files, from) };
  await shell(`for name in $NAMES; do ${unpack}; done`, folder, env);
}
const manifests = names.split(' ').map((name) => {
  const text = readFileSync(join(files, 'one', name, 'package.json'), 'utf8');
  return { name: `@eaas/${name}`, folder: join(files, 'one', name), manifest: JSON.parse(text) as Packed };
});

const publish = `${step('publish', 'Publish').replace('npm publish', 'npm publish --dry-run')} 2>&1`;
const publishing = { VERSION: version, NAMES: names, npm_config_loglevel: 'warn' };
const said = await shell(publish, packedIn.one, publishing);
for (const { name, manifest } of manifests) published.set(name, manifest);

test('the version is the next one that the changesets ask for', async () => {
  const { version: before } = JSON.parse(read('packages/cli/package.json')) as { version: string };
  const asked = await shell(`grep -hoE "': (major|minor|patch)$" .changeset/*.md || true`, root);
  const [major = 0, minor = 0, patch = 0] = before.split('.').map(Number);
  const steps = { major: [major + 1, 0, 0], minor: [major, minor + 1, 0], patch: [major, minor, patch + 1] };
  const [, next] = Object.entries(steps).find(([step]) => asked.includes(step)) ?? [];
  expect(version).toBe(next?.join('.') ?? before);
});

test('one version for all packages and what they need of each other, and it is in their changelogs', async () => {
  expect(manifests.map(({ name }) => name).toSorted()).toEqual(publishedPackages.map(({ name }) => name));
  for (const { name, manifest } of manifests) {
    const { dependencies, optionalDependencies, peerDependencies } = manifest;
    const needed = Object.entries({ ...dependencies, ...optionalDependencies, ...peerDependencies });
    const own = needed.flatMap(([dependency, range]) => (dependency.startsWith('@eaas/') ? [range] : []));
    const others = [manifest.version, ...own].filter((range) => range !== version);
    expect({ name, others }).toEqual({ name, others: [] });
    const notes = readFileSync(join(packedIn.one, `${name.slice('@eaas/'.length)}.md`), 'utf8');
    expect(notes).toMatch(new RegExp(`^## ${version.replaceAll('.', '\\.')}\n`));
  }
  expect(await shell('ls .changeset/*.md 2> /dev/null || true', one)).toBe('');
  await shell('npm run --silent size', one);
});

test('two builds in two folders are equal, byte for byte', async () => {
  expect(await shell(`diff -r one other || true`, files)).toBe('');
  const sums = (folder: string) => shell('sha256sum *.tgz', folder);
  expect(await sums(packedIn.one)).toBe(await sums(packedIn.other));
});

test('the SBOM lists what users install, and no tool', () => {
  const sbom = readFileSync(join(packedIn.one, 'eaas.cdx.json'), 'utf8');
  const { components } = JSON.parse(sbom) as { components: { purl: string }[] };
  const listed = components.map(({ purl }) => decodeURIComponent(purl).replace(/^pkg:npm\/|@[^@]*$/g, ''));
  expect(listed).toEqual(expect.arrayContaining(['fastify', 'ky', 'preact', 'zod', ...published.keys()]));
  const tools = new Set(['esbuild', 'tsup', 'typescript', 'vitest', '@eaas/bench', '@eaas/prove']);
  expect(listed.filter((name) => tools.has(name))).toEqual([]);
});

test('the workflow publishes each tarball once, in the order of the workspaces', async () => {
  expect(said.match(/^\+ .*/gm)).toEqual(manifests.map(({ name }) => `+ ${name}@${version}`));
  expect(said).not.toMatch(/correct/i);
  expect(await shell(publish, packedIn.one, publishing)).toBe('');
});

async function tool<T>(path: string): Promise<T> {
  return (await import(pathToFileURL(join(await requireTools('test/tools/package-checks'), path)).href)) as T;
}

describe.each(manifests)('the tarball of $name', ({ name, folder, manifest }) => {
  const tarball = () => new Uint8Array(readFileSync(join(packedIn.one, tarballOf(name))));
  const paths = filesIn(folder).map((path) => relative(folder, path));

  test('has its code, documents and licence, what its manifest names, and no test', () => {
    const allowed = /^(?:(?:bin|dist|src)\/.+|docs\/.+\.(?:md|svg)|README\.md|LICENSE|NOTICE|package\.json)$/;
    expect(paths.filter((path) => !allowed.test(path) || /\.test\.|\.tsbuildinfo$/.test(path))).toEqual([]);
    expect(paths).toEqual(expect.arrayContaining(['README.md', 'LICENSE', ...filesNamedBy(manifest)]));
  });

  test('names no folder of the machine that built it, also in source maps', () => {
    const text = (path: string) => readFileSync(join(folder, path), 'utf8');
    expect(paths.filter((path) => text(path).includes(place))).toEqual([]);
    const maps = paths.filter((path) => path.endsWith('.map'));
    const sources = maps.flatMap((path) => (JSON.parse(text(path)) as { sources: string[] }).sources);
    expect(sources.filter((source) => !source.startsWith('../'))).toEqual([]);
  });

  test('names the repository that releases it, as soon as there is one', () => {
    const { repository, homepage, bugs } = manifest;
    const named = repository?.url.replace(/^git\+|\.git$/g, '');
    const released = process.env['RELEASE_REPOSITORY'];
    const url = released === undefined ? named : `https://github.com/${released}`;
    const directory = `packages/${name.slice('@eaas/'.length)}`;
    const expected = {
      repository: { type: 'git', url: `git+${url}.git`, directory },
      homepage: `${url}/tree/main/${directory}#readme`,
      bugs: `${url}/issues`,
    };
    expect({ repository, homepage, bugs }, 'see docs/releasing.md').toEqual(
      url === undefined ? {} : expected,
    );
  });

  test('passes publint and Are The Types Wrong', async () => {
    const { publint } = await tool<Publint>('publint/src/index-node.js');
    expect(await publint({ pack: { tarball: tarball().buffer }, strict: true })).toMatchObject({
      messages: [],
    });
    if (!entriesOf(manifest)[0]) return;
    const { checkPackage, createPackageFromTarballData } = await tool<AreTheTypesWrong>(
      '@arethetypeswrong/core/dist/index.js',
    );
    const { types, problems = [] } = await checkPackage(createPackageFromTarballData(tarball()));
    expect(types).toBeTruthy();
    // Only the problems of CommonJS resolution are left, because the packages contain only ES modules. node10 does not know
    // `imports`. For CommonJS, Drizzle has other types, so those of its package are there twice, for the same code.
    const isOther = ({ kind, resolutionKind = '', resolutionOption = resolutionKind }: Problem) =>
      kind === 'FalseCJS' ? name !== '@eaas/drizzle' : !/^node10$|-cjs$/.test(resolutionOption);
    expect(problems.filter(isOther)).toEqual([]);
  });
});

function filesIn(folder: string): string[] {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  return entries.flatMap((entry) => (entry.isFile() ? [join(entry.parentPath, entry.name)] : []));
}

function entriesOf({ name, exports = {} }: Manifest): string[] {
  return Object.keys(exports).flatMap((path) => (path.endsWith('.json') ? [] : [name + path.slice(1)]));
}

function filesNamedBy({ bin = {}, exports = {} }: Manifest): string[] {
  const targets = JSON.stringify([bin, exports], (name, value: unknown) =>
    name === '@eaas/source' ? undefined : value,
  );
  return Array.from(targets.matchAll(/"\.\/([^"*]+\.\w+)"(?!:)/g), ([, path]) => path ?? '');
}

test('npx fetches nothing, although the registry has it, and runs what a page has npm install', async () => {
  const app = await newDirectory();
  const eaas = () => run(['npx', '--no-install', '@eaas/cli', '--version'], environment({}), { cwd: app });
  const { code, stderr } = await eaas();
  expect(code).not.toBe(0);
  expect(stderr).toContain('npx canceled due to missing packages');
  await shell(`npm init --yes && ${documented('npm install ')}`, app, {
    'npm_config_@eaas:registry': `${registryUrl}/nothing`,
  });
  expect(await eaas()).toEqual({ code: 0, stdout: `${version}\n`, stderr: '' });
});

test('a page names every tarball for package managers that would ask npm for it', async () => {
  const app = await newDirectory();
  const [block = 'false'] = blocksOf(read('docs/start/README.md'), 'bash');
  await shell(`npm init --yes && ${block.replaceAll('/tmp', packedIn.other)}`, app);
  const { resolutions } = JSON.parse(readFileSync(join(app, 'package.json'), 'utf8')) as {
    resolutions: object;
  };
  const expected = manifests.map(({ name }) => [name, `file:${join(packedIn.other, tarballOf(name))}`]);
  expect(resolutions).toEqual(Object.fromEntries(expected));
});

/** What a package brings along, itself included. */
const brought = new Map<string, { packages: number; megabytes: number }>();
const limits = new Map([['@eaas/sdk', { packages: 8, megabytes: 14 }]]);
afterAll(() => {
  for (const [name, { packages, megabytes }] of brought) {
    process.stdout.write(
      `${name.padEnd(16)}${`${packages} packages`.padStart(12)}${`${megabytes} MB`.padStart(9)}\n`,
    );
  }
});

async function appWith(name: string): Promise<string> {
  const app = join(place, 'alone', name);
  mkdirSync(app, { recursive: true });
  writeFileSync(join(app, 'package.json'), '{ "private": true, "type": "module" }\n');
  await shell(`npm install ${name}`, app);
  const lock = readFileSync(join(app, 'node_modules/.package-lock.json'), 'utf8');
  const { packages } = JSON.parse(lock) as { packages: object };
  const bytes = filesIn(join(app, 'node_modules')).reduce((sum, path) => sum + statSync(path).size, 0);
  brought.set(name, { packages: Object.keys(packages).length, megabytes: Math.round(bytes / 1e5) / 10 });
  return app;
}

const own = await appWith('@eaas/cli');
const program = [join(own, 'node_modules/.bin/eaas')];
await closing(serve({}, { program, cwd: own, command: 'dev' }), (server) => server.stop());
await run([...program, 'dev', '--env'], {}, { cwd: own });
const variables = parseEnv(readFileSync(join(own, '.env'), 'utf8')) as Record<string, string>;

/** Packages whose own declarations have errors. */
const wrong = new Map([['@eaas/drizzle', ['drizzle-orm']]]);

test.each(manifests)('$name alone in an empty app: its types, and one call', async ({ name, manifest }) => {
  const app = name === '@eaas/cli' ? own : await appWith(name);
  const { packages = 0, megabytes = 0 } = brought.get(name) ?? {};
  expect(packages).toBeLessThanOrEqual(limits.get(name)?.packages ?? Infinity);
  expect(megabytes).toBeLessThanOrEqual(limits.get(name)?.megabytes ?? Infinity);
  const env = { ...variables, DEVELOPMENT: join(own, '.eaas'), VERSION: version };
  const type = (...command: string[]) => run(command, env, { cwd: app });
  for (const bin of Object.keys(manifest.bin ?? {})) {
    expect(await type(`node_modules/.bin/${bin}`, '--help')).toMatchObject({ code: 0, stderr: '' });
  }
  const { code, prints } = calls[name] ?? { code: '', prints: '' };
  const entries = entriesOf(manifest);
  const imports = entries.map((entry, index) => `import * as entry${index} from '${entry}';`);
  const uses = entries.map((_, index) => `if (Object.keys(entry${index}).length === 0) throw new Error();`);
  if (entries.length > 0) writeFileSync(join(app, 'app.ts'), [...imports, ...uses, code].join('\n'));
  for (const resolution of entries.length > 0 ? ['nodenext', 'bundler'] : []) {
    const module = `--module ${resolution === 'bundler' ? 'esnext' : resolution} --moduleResolution ${resolution}`;
    const flags = `--strict --target es2022 --lib es2023,dom,dom.iterable ${module} --outDir out app.ts`;
    const tsc = join(root, 'node_modules/typescript/bin/tsc');
    const { stdout } = await type(process.execPath, tsc, ...flags.split(' '));
    const errors = stdout.match(/^\S.*/gm) ?? [];
    const places = errors.map((error) => /^node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(error)?.[1] ?? error);
    expect([...new Set(places)]).toEqual(wrong.get(name) ?? []);
  }
  const ran = await (entries.length > 0 ? type(process.execPath, 'out/app.js') : type('bash', '-ec', code));
  expect(ran).toMatchObject({ code: 0, stderr: '' });
  expect(ran.stdout).toContain(prints);
});
