import { posix } from 'node:path';
import { expect, test } from 'vitest';
import { files, importsOf, type SourceFile, sources } from './files.ts';

const packageOf = ({ path }: SourceFile): string => path.split('/')[1] ?? '';
const isRelative = (specifier: string): boolean => specifier.startsWith('.');
const places = (among: readonly SourceFile[], pattern: RegExp): string[] =>
  among.flatMap(({ path, lines }) =>
    lines.flatMap((line, index) => (pattern.test(line) ? [`${path}:${index + 1}`] : [])),
  );

const siblingsOf: Readonly<Record<string, RegExp>> = {
  protocol: /^$/,
  local: /^@eaas\/(?:protocol|service)(?:\/|$)/,
  sdk: /^@eaas\/protocol(?:\/|$)/,
  server: /^@eaas\/(?:protocol|service)(?:\/|$)/,
  migrate: /^@eaas\/(?:protocol|sdk)(?:\/|$)/,
  audit: /^@eaas\/protocol(?:\/|$)/,
  console: /^@eaas\/(?:protocol|local|sdk|audit)(?:\/|$)/,
  drizzle: /^@eaas\/sdk(?:\/|$)/,
  prisma: /^@eaas\/sdk(?:\/|$)/,
  kysely: /^@eaas\/sdk\/fields$/,
  files: /^@eaas\/(?:protocol|sdk)(?:\/|$)/,
  log: /^@eaas\/(?:protocol|server)(?:\/|$)/,
  dev: /^@eaas\/(?:protocol|server)(?:\/|$)/,
  cli: /^@eaas\/(?:protocol|local|sdk|audit|server|log|dev)(?:\/|$)/,
};

test('each package imports only the packages that its layer allows', () => {
  const wrong = sources.flatMap((file) => {
    const siblings = importsOf(file).filter((specifier) => specifier.startsWith('@eaas/'));
    const allowed = siblingsOf[packageOf(file)] ?? /^@eaas\/protocol(?:\/|$)/;
    const isForTests = (sibling: string) =>
      file.path.includes('/testing/') && sibling === '@eaas/local/internal';
    return siblings
      .filter((sibling) => !allowed.test(sibling) && !isForTests(sibling))
      .map((sibling) => `${file.path}: ${sibling}`);
  });
  expect(wrong).toEqual([]);
});

test('no relative import refers to a file of another package, except to what both commands share', () => {
  const wrong = sources.flatMap((file) =>
    importsOf(file)
      .filter(isRelative)
      .filter((specifier) => !targetOf(file, specifier).startsWith(`packages/${packageOf(file)}/`))
      .filter(
        (specifier) =>
          `${file.path}: ${specifier}` !== 'packages/files/src/kit.ts: ../../cli/src/kit/index.ts',
      )
      .map((specifier) => `${file.path}: ${specifier}`),
  );
  expect(wrong).toEqual([]);
});

test('each option of a command stands in a test of its package, which runs the command with it', () => {
  const commands = ['cli', 'files', 'migrate', 'local'];
  const declared = /(?:\boption|\bOption)\(\s*['"`](?:-\w, )?--([\w-]+)|^ {2}(?:-\w, )?--([\w-]+)/gm;
  const missing = commands.flatMap((name) => {
    const own = files.filter(({ path }) => path.startsWith(`packages/${name}/`));
    const isTest = (path: string) => path.endsWith('.test.ts') || path.startsWith(`packages/${name}/test/`);
    const tests = own.filter(({ path }) => isTest(path)).map(({ text }) => text);
    const options = own
      .filter(({ path }) => path.startsWith(`packages/${name}/src/`) && !isTest(path))
      .flatMap(({ text }) => Array.from(text.matchAll(declared), ([, made, listed]) => made ?? listed ?? ''));
    expect(options.length).toBeGreaterThan(2);
    return [...new Set(options)]
      .filter((option) => !tests.some((text) => new RegExp(`--${option}(?![\\w-])`).test(text)))
      .map((option) => `${name}: --${option}`);
  });
  // Each command has it, and the tests of all helps ask for it.
  expect(missing.filter((option) => !option.endsWith(': --help'))).toEqual([]);
});

test('each file that `npm test` plays in memory exists', () => {
  const config = files.find(({ path }) => path === 'vitest.config.ts')?.text ?? '';
  const lists = Array.from(config.matchAll(/inConformance\('([^']+)'\)/g), ([, names = '']) => names);
  const names = lists.flatMap((list) => list.split(','));
  const pathOf = (name: string) => `packages/server/test/conformance/${name}.service.test.ts`;
  expect(names.length).toBeGreaterThan(10);
  expect(names.filter((name) => !files.some(({ path }) => path === pathOf(name)))).toEqual([]);
});

// Vitest runs no type, so it would count a test that cannot fail. `tsc` judges those of `*.types.ts`.
test('each test says more than types', () => {
  const tests = files.filter(({ path }) => /^(?:packages|test)\/.*\.test\.tsx?$/.test(path));
  const saysTypes = tests.filter(({ text }) => /\bimport \{[^}]*\b(?:expectTypeOf|assertType)\b/.test(text));
  expect(saysTypes.length).toBeGreaterThan(3);
  expect(saysTypes.filter(({ text }) => !/\bexpect\(/.test(text)).map(({ path }) => path)).toEqual([]);
});

test('each test imports only its package, the packages that its manifest names, and the kit', () => {
  const tests = files.filter(({ path }) =>
    /^packages\/[^/]+\/(?:src\/.*\.test\.tsx?|test\/.*\.ts)$/.test(path),
  );
  const wrong = tests.flatMap((file) => {
    const home = `packages/${packageOf(file)}/`;
    const manifest = files.find(({ path }) => path === `${home}package.json`)?.text ?? '';
    return importsOf(file)
      .filter((specifier) =>
        isRelative(specifier)
          ? !targetOf(file, specifier).startsWith(home)
          : specifier.startsWith('@eaas/') && !manifest.includes(`"${specifier.split('/', 2).join('/')}"`),
      )
      .map((specifier) => `${file.path}: ${specifier}`);
  });
  expect(wrong).toEqual([]);
});

test('each file begins with a comment that says what it is for, and has at most 350 lines of code', () => {
  const isCode = (line: string): boolean => !/^\s*(?:$|\/\/|\/?\*)/.test(line);
  // A reference to types, with three slashes, says nothing of the file.
  const isHead = (line = ''): boolean => /^\/(?:\*|\/(?!\/))/.test(line);
  const wrong = sources.filter(({ lines }) => !isHead(lines[0]) || lines.filter(isCode).length > 350);
  expect(wrong.map(({ path }) => path)).toEqual([]);
});

// The layers of the server, lowest first. Each pattern matches the files of one part of a layer. A file imports only
// from lower layers and from its own part.
const layers: readonly (readonly RegExp[])[] = [
  [/^base\//],
  [/^fair\.ts$/, /^postgres\//, /^state\//, /^root-key\/(?!root-check)/],
  [/^plugins\//, /^root-key\/root-check\.ts$/],
  [/^app\/service\.ts$/],
  [/^operator\//],
  [/^http\//, /^jobs\//],
  [/^app\//],
  [/^(?:index|internal)\.ts$/],
];

function positionOf(path: string): { layer: number; part: number } | undefined {
  const inServer = /^packages\/server\/src\/(.+)/.exec(path)?.[1];
  if (inServer === undefined) return undefined;
  const layer = layers.findIndex((parts) => parts.some((part) => part.test(inServer)));
  return { layer, part: layers[layer]?.findIndex((part) => part.test(inServer)) ?? -1 };
}

test('every source file of the server belongs to one of the listed layers', () => {
  expect(sources.filter(({ path }) => positionOf(path)?.layer === -1).map(({ path }) => path)).toEqual([]);
});

test('each layer of the server imports only lower layers', () => {
  const wrong = sources.flatMap((file) => {
    const from = positionOf(file.path);
    if (from === undefined) return [];
    return importsOf(file)
      .filter(isRelative)
      .map((specifier) => targetOf(file, specifier))
      .filter((path) => {
        const to = positionOf(path);
        if (to === undefined) return false;
        return from.layer === to.layer ? from.part !== to.part : from.layer < to.layer;
      })
      .map((path) => `${file.path} imports ${path}`);
  });
  expect(wrong).toEqual([]);
});

function targetOf({ path }: SourceFile, specifier: string): string {
  return posix.join(posix.dirname(path), specifier);
}

/** The folder of a file in the SDK, or the name of a file that stands beside the folders. */
const roomOf = (path: string): string => /^packages\/sdk\/src\/([^/]+)/.exec(path)?.[1] ?? '';

test('no folder of the SDK imports one that imports it, directly or through others', () => {
  const rooms = new Map<string, Set<string>>();
  for (const file of sources.filter(({ path }) => roomOf(path) !== '')) {
    const room = roomOf(file.path);
    const imported = importsOf(file)
      .filter(isRelative)
      .map((specifier) => roomOf(targetOf(file, specifier)));
    const others = imported.filter((other) => other !== room);
    rooms.set(room, new Set([...(rooms.get(room) ?? []), ...others]));
  }
  // Takes away what imports nothing that is left. Rooms that import each other stay.
  const isFree = ([, others]: [string, Set<string>]): boolean => ![...others].some((room) => rooms.has(room));
  for (let free; (free = [...rooms].find(isFree));) rooms.delete(free[0]);
  expect(Object.fromEntries(rooms)).toEqual({});
});

test('in the service, only plugins and the index import plugins', () => {
  const core = sources.filter(({ path }) => /^packages\/service\/src\/(?!plugins\/|index\.ts)/.test(path));
  expect(core.filter((file) => importsOf(file).some((name) => name.includes('plugins/')))).toEqual([]);
});

test('in the service, no plugin imports another', () => {
  const folder = 'packages/service/src/plugins/';
  const wrong = sources.flatMap((file) => {
    if (!file.path.startsWith(folder)) return [];
    const own = posix.join(folder, file.path.slice(folder.length).split('/')[0] ?? '', '/');
    return importsOf(file)
      .filter(isRelative)
      .map((specifier) => targetOf(file, specifier))
      .filter((path) => path.startsWith(folder) && !path.startsWith(own))
      .map((path) => `${file.path} imports ${path}`);
  });
  expect(wrong).toEqual([]);
});

// Where a route is compared, a new endpoint gets the wrong cost or right without a word. What is true of a route is a field of its
// endpoint, and what a plugin does for a route is kept by the route.
test('only the endpoint table looks into routes as texts', () => {
  const name = '[\'"`](?:GET|POST|PUT|PATCH|DELETE) ';
  const search = '(?:startsWith|endsWith|includes|indexOf|match|search|replace|replaceAll|split|slice)';
  const looks = [
    `[!=]== ${name}`,
    `${name}[^'"\`]*['"\`] [!=]==`,
    `\\bcase ${name}`,
    `\\.${search}\\(${name}`,
    `\\b\\w*[rR]oute\\.${search}\\(`,
    `\\.(?:test|exec)\\(\\w*[rR]oute\\)`,
    // Regular expressions.
    `\\b(?:GET|POST)\\|`,
    `\\\\/v1\\b`,
  ];
  const looking = sources.filter(
    ({ path }) =>
      /^packages\/(?:protocol|service|server|local|dev|cli)\//.test(path) &&
      path !== 'packages/protocol/src/wire/endpoint.ts',
  );
  expect(places(looking, new RegExp(looks.join('|')))).toEqual([]);
});

test('only one file of each package reads environment variables', () => {
  const readers = new Set([
    'packages/cli/src/config.ts',
    'packages/server/src/base/shell-word.ts',
    'packages/sdk/src/client/environment.node.ts',
    'packages/files/src/connection.ts',
    'packages/local/src/file-opener.ts',
    // NODE_ENV and EAAS_KEY_ID, also on platforms that cannot load the file above.
    'packages/local/src/opener.ts',
    'packages/migrate/src/connect.ts',
    // Prints code that reads them.
    'packages/migrate/src/adopt/recognise.ts',
  ]);
  expect(
    places(
      sources.filter(({ path }) => !readers.has(path)),
      /^(?! *\*).*(?:\bprocess\.env\b|\benv\b.*'node:process')/, // but in examples
    ),
  ).toEqual([]);
});

test('only engines, and readers of the formats of other tools, call encryption functions', () => {
  const others = sources.filter(
    ({ path }) => !/^packages\/(?:protocol\/src\/engines|migrate\/src\/formats)\//.test(path),
  );
  expect(places(others, /createCipheriv|createDecipheriv|\bgcm\(/)).toEqual([]);
});

// Whoever registers a name that is not ours yet could run programs on the machines of our readers. `npx --no` is not
// enough: it takes the next word for its own, so that `npx --no @eaas/cli --help` shows the help of npm.
test('no text lets a shell fetch a package of this project from npm, where none is published', () => {
  const runs =
    /\b(?:npx|npm exec|bunx|(?:pnpm|yarn) dlx)\s(?!--no-install @eaas\\?\/(?:cli|local|migrate)\b)[^`'"|;&\n]*\beaas\b/;
  const installs = /\bnpm (?:i|ci|install|add)\s[^`'"|;&\n]*(?:@eaas\/|\beaas(?![-./\w]))/;
  const texts = files.filter(({ path }) => path !== 'test/house-rules/house-rules.test.ts');
  expect([...places(texts, runs), ...places(texts, installs)]).toEqual([]);
});

// A test that takes a label from the code that it tests changes with it, and nobody notices that stored data opens no more.
test('a test of vectors writes out the labels that it pins, and takes none from the sources', () => {
  const constants = sources.flatMap(({ text }) =>
    Array.from(text.matchAll(/^export const (\w+)(?!.*=>).*'eaas [a-z -]+ v\d'/gm), ([, name = '']) => name),
  );
  expect(constants).toContain('indexKeyContext');
  const tests = files.filter(
    ({ path, text }) => path.endsWith('.test.ts') && text.includes('test-kit/vectors'),
  );
  const taken = new RegExp(`\\b(?:${constants.join('|')})\\b`);
  expect(
    places(
      tests.filter(({ path }) => !path.startsWith('test/house-rules')),
      taken,
    ),
  ).toEqual([]);
});
