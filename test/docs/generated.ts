// What is generated from the endpoint table: the tables of the contract page, and the client's checks of answers. The
// tables of the operator are what `eaas --help` prints, and what the alarms say. Manifests repeat their `exports` for older
// compilers.
// `npm run generate` writes them, and a test tells when they are out of date.
import { readdirSync } from 'node:fs';
import { callOf, describeField, groups, problemCauses, problemsOf } from '@eaas/protocol/internal-reference';
import { actionTexts } from '@eaas/protocol/internal';
import {
  auditActions,
  type Endpoint,
  endpoints,
  permissions,
  type ProblemCode,
  problems,
  type Route,
} from '@eaas/protocol/wire';
import { pages as sitePages, titleOf } from '../../docs/site/pages.ts';
import { exitCodesHelp } from '../../packages/cli/src/failure.ts';
import { program } from '../../packages/cli/src/program.ts';
import { variablesOf } from '../../packages/cli/src/variables.ts';
import { registerMetrics } from '../../packages/log/src/metrics.ts';
import { fingerprint } from '../../packages/protocol/src/wire/primitives.ts';
import { HttpMetrics, serviceMetrics } from '../../packages/server/src/http/metrics.ts';
import { alerts } from '@eaas/test-kit/alerts';
import { leaves } from '@eaas/test-kit/cli';
import { anchorsOf, read, root } from '@eaas/test-kit/markdown';
import { table } from '@eaas/test-kit/outcomes';
import { libraries, type Manifest } from '@eaas/test-kit/published';
import { operationsOfDrizzle } from '../../packages/drizzle/test/page.ts';
import { commentTables } from './comment-tables.ts';
import { documentedIn } from './doc-comments.ts';
import { texts } from './generated-texts.ts';
import { recordedMembers } from './recorded-members.ts';
import { findingWords } from './finding-words.ts';

// The matrix of Prisma is written by its own test.
const pages = sitePages.filter((page) => /<!-- generated: (?!outcomes)/.test(read(page)));
const outputKinds = 'packages/sdk/src/http/output-kinds.json';
const pageKinds = 'packages/sdk/src/http/page-kinds.json';

/** Returns the current text of each generated file, by its path. */
export function generated(): Readonly<Record<string, string>> {
  return {
    ...Object.fromEntries(pages.map((page) => [page, withTables(read(page))])),
    [outputKinds]: outputKindsOf(routes),
    [pageKinds]: outputKindsOf(routes.filter((route) => /\/(wrap|unwrap|rewrap|hash|audit)$/.test(route))),
    ...Object.fromEntries(
      libraries.map(({ name, manifest }) => [
        `packages/${name.slice(6)}/package.json`,
        withOlderFields(manifest),
      ]),
    ),
  };
}

interface Entry {
  readonly types: string | { readonly default: string };
  readonly default: string;
}

/** A manifest with `main`, `types` and `typesVersions`, for compilers that do not know `exports`. */
function withOlderFields(manifest: Manifest): string {
  const { './package.json': _, '.': first, ...others } = manifest.exports as Record<string, Entry>;
  const typesOf = ({ types }: Entry): string => (typeof types === 'string' ? types : types.default);
  const entries = Object.entries(others).map(([subpath, entry]) => [subpath.slice(2), [typesOf(entry)]]);
  const older = {
    ...(first && { main: first.default, types: typesOf(first) }),
    ...(entries.length > 0 && { typesVersions: { '*': Object.fromEntries(entries) } }),
  };
  return `${JSON.stringify({ ...manifest, ...older }, null, 2)}\n`;
}

type Schema = Endpoint['output']['shape'][string];
type Shape = Readonly<Record<string, Schema>>;

const code = (name: string): string => `\`${name}\``;
const list = (names: readonly string[]): string => names.map(code).join(', ');
const routes = Object.keys(endpoints) as Route[];
const shapeOf = (route: Route): Shape => endpoints[route].output.shape;

const members = await recordedMembers();

const tables: Readonly<Record<string, () => string>> = {
  ...Object.fromEntries(
    groups.map(({ title, routes }) => [title, () => `${callTable(routes)}\n\n${callTexts(routes)}`]),
  ),
  ...Object.fromEntries(Object.entries(commentTables).map(([name, rows]) => [name, () => table(rows())])),
  errors: () =>
    table([
      ['code', 'status', 'cause'],
      ...(Object.keys(problems) as ProblemCode[]).map((name) => {
        return [code(name), String(problems[name].status), problemCauses[name]];
      }),
    ]),
  permissions: () =>
    table([
      ['permission', 'allows'],
      ...permissions.map((name) => {
        return [code(name), list(routes.filter((route) => endpoints[route].permission === name))];
      }),
    ]),
  'key record': () => fieldTable('field of a key', shapeOf('POST /v1/keys/:key_id/enable')),
  'API key record': () => fieldTable('field of an API key', shapeOf('GET /v1/api-keys/:api_key_id')),
  'issuer record': () => fieldTable('field of an issuer', shapeOf('GET /v1/issuers/:issuer_id')),
  'audit entry': () => fieldTable('field', recordsIn(shapeOf('GET /v1/audit')['logs']) ?? {}, 'logs'),
  'audit actions': () =>
    table([
      ['action', 'recorded', 'members of `metadata`'],
      ...auditActions.map((name) => [
        code(name),
        actionTexts[name],
        list([...(members.get(name) ?? [])].toSorted()),
      ]),
    ]),
  reasons: () => `${list(findingWords('service'))}.`,
  commands: () =>
    table([
      ['command', 'what it does'],
      ...leaves(program).map(([name, command]) => [code(name), command.summary()]),
    ]),
  'exit codes': () => {
    const rows = Array.from(exitCodesHelp.matchAll(/^ +(\d) +(.+)$/gm), ([, ...row]) => row);
    return table([['exit code', 'meaning'], ...rows]);
  },
  examples: () => {
    const readmes = sitePages.filter((page) => /^examples\/.+\/README\.md$/.test(page));
    const rows = readmes.map((page) => [`[${page.split('/')[1]}](${page.slice(9)})`, titleOf(page)]);
    return table([['example', 'what it is'], ...rows]);
  },
  metrics: metricTable,
  jobs: jobTable,
  'codes of EncryptedTableError': () =>
    documentTable('`code`', 'packages/sdk/src/fields/encrypted-table-error.ts', 'EncryptedTableErrorCode'),
  'options of migrate': () => documentTable('option', 'packages/migrate/src/migrate.ts', 'MigrateOptions'),
  'test vectors': () => {
    const files = readdirSync(`${root}test/vectors`).filter((name) => name.endsWith('.json'));
    const aboutOf = (name: string) => JSON.parse(read(`test/vectors/${name}`)) as { description: string };
    return table([['file', 'content'], ...files.map((name) => [code(name), aboutOf(name).description])]);
  },
  'members of a plugin': () => {
    const paths = ['packages/service/src/plugin.ts', 'packages/server/src/app/options.ts'];
    const rows = paths.flatMap((path) => documentedIn(path, 'Plugin'));
    return table([['member', 'what it is'], ...rows.map(([name, meaning]) => [code(name), meaning])]);
  },
  'operations of Drizzle': operationsOfDrizzle,
  'variables of the service': () => variableTable(variablesOf.service),
  'variables of apps': () => variableTable(variablesOf.apps),
  alarms: () =>
    table([
      ['alarm', 'severity', 'says', 'runbook'],
      ...alerts.map(({ name, severity, summary, runbook }) => {
        const [anchor = ''] = anchorsOf(`# ${runbook}`);
        const page = ['runbook', 'backups'].find((one) =>
          anchorsOf(read(`docs/operating/${one}.md`)).includes(anchor),
        );
        const said = summary.replace(/\{\{.*?\}\}\.?/g, '…').replace(/^'|'$/g, '');
        return [code(name), severity, said, `[→](${page}.md#${anchor})`];
      }),
    ]),
  verification: () => fieldTable('field', shapeOf('GET /v1/audit/verify'), 'verifyAudit'),
  checkpoint: () => fieldTable('field of a checkpoint', shapeOf('GET /v1/audit/checkpoint'), 'getCheckpoint'),
};

function withTables(page: string): string {
  const begin = /<!-- generated: (.+) -->\n[^]*?<!-- end -->/g;
  return page.replace(begin, (_, name: string) => {
    const [kind = '', ...words] = name.split(' ');
    const make = tables[name] ?? texts[kind]?.bind(undefined, ...words);
    if (!make) throw new Error(`expected one of ${Object.keys(tables).join(', ')} (got ${name})`);
    return `<!-- generated: ${name} -->\n\n${make()}\n\n<!-- end -->`;
  });
}

function variableTable(of: typeof variablesOf.service): string {
  const rows = of.map(({ name, otherwise, meaning }) => [code(name), otherwise, meaning]);
  return table([['variable', 'default', 'meaning'], ...rows]);
}

export function metrics() {
  const all: (Record<'name' | 'type' | 'help', string> & { labelNames: string[] })[] = [];
  const registry = { registerMetric: (metric: (typeof all)[0]) => all.push(metric) } as never;
  void new HttpMetrics(registry);
  serviceMetrics({} as never, {} as never, undefined as never, registry);
  registerMetrics({} as never, registry);
  return all;
}

function metricTable(): string {
  const rows = metrics().map(({ name, type, labelNames, help }) => [
    code(name),
    type,
    list(labelNames),
    help,
  ]);
  return table([['metric', 'type', 'labels', 'meaning'], ...rows]);
}

/** The jobs, each with the comment on it. A leased one runs on one server at a time. */
function jobTable(): string {
  const files = ['server/src/app/server-jobs.ts', 'log/src/index.ts'];
  const text = files.map((file) => read(`packages/${file}`)).join('');
  const job = /\/\/ (.+)\n +(leased\(|\{)\s*(?:name: )?'(\w+)',\s*(?:everySeconds: )?(\w+),/g;
  const rows = Array.from(text.matchAll(job), ([, does = '', kind, name = '', every = '']) => {
    const often = every.replace('_', '').replace('interval', code('EAAS_LOG_INTERVAL'));
    return [code(name), often, kind === '{' ? 'each' : 'one at a time', does];
  });
  return table([['`job`', 'every … s', 'servers', 'what it does'], ...rows]);
}
const documentTable = (head: string, path: string, type: string): string =>
  table([[head, 'meaning'], ...documentedIn(path, type).map(([name, meaning]) => [code(name), meaning])]);

function callTable(of: readonly Route[]): string {
  const rows = of.map((route) => {
    const endpoint: Endpoint = endpoints[route];
    const { status, output } = endpoint;
    const answer = describeOutput(output.shape);
    return [
      code(route),
      describeInput(endpoint),
      status ? `${status}: ${answer}` : answer,
      ownProblems(route),
    ];
  });
  return table([['endpoint', 'request', 'response', 'errors of its own'], ...rows]);
}

/** What the calls do, each in a paragraph. Calls with the same text share it. */
function callTexts(of: readonly Route[]): string {
  const textOf = (route: Route): string => callOf(route).about;
  const texts = [...new Set(of.map(textOf))];
  return texts.map((text) => `- ${list(of.filter((route) => textOf(route) === text))}: ${text}`).join('\n');
}

function describeInput({ query, body, item }: Endpoint): string {
  const [optional, required] = [true, false].map((wanted) =>
    Object.entries({ ...query?.shape, ...body?.shape } as Shape)
      .filter(([, schema]) => ['optional', 'nullish'].includes(typeOf(schema)) === wanted)
      .map(([name]) => name),
  );
  const items = item && `each with ${list(Object.keys(item.shape))}`;
  return [
    required?.length ? list(required) : '',
    items ?? '',
    optional?.length ? `optional ${list(optional)}` : '',
  ]
    .filter(Boolean)
    .join(', ');
}

const pageFields = ['count', 'total', 'limit', 'offset'];

function describeOutput(shape: Shape): string {
  const names = Object.keys(shape);
  const record = ['key', 'api_key', 'issuer'].find((name) => `${name}_id` in shape && 'created_at' in shape);
  const hasPage = pageFields.every((name) => names.includes(name));
  const known = record ? Object.keys(shapeOf(recordRoutes[record as 'key'])) : hasPage ? pageFields : [];
  const parts = names
    .filter((name) => !known.includes(name))
    .map((name) => describeMember(name, shape[name]));
  if (record) parts.unshift('the record');
  if (hasPage) parts.push('the page fields');
  return parts.join(', ');
}

const recordRoutes = {
  key: 'POST /v1/keys/:key_id/enable',
  api_key: 'GET /v1/api-keys/:api_key_id',
  issuer: 'GET /v1/issuers/:issuer_id',
} as const;

function describeMember(name: string, schema: Schema | undefined): string {
  const shape = recordsIn(schema);
  const isRecord = !shape || ('created_at' in shape && !('wraps' in shape));
  return isRecord ? code(name) : `${code(name)} (${list(Object.keys(shape))})`;
}

function ownProblems(route: Route): string {
  const shared = new Set(problemsOf('GET /v1/usage').concat('too_large', 'unsupported_media_type'));
  return problemsOf(route)
    .filter((name) => !shared.has(name))
    .map((name) => `${problems[name].status} ${code(name)}`)
    .join(', ');
}

function fieldTable(head: string, shape: Shape, parent = ''): string {
  const rows = Object.entries(shape).map(([name, schema]) => {
    const inner = recordsIn(schema);
    const members = inner ? ` (${list(Object.keys(inner))})` : '';
    return [code(name) + members, describeField(name, parent) ?? ''];
  });
  return table([[head, 'meaning'], ...rows]);
}

interface Definition {
  readonly type: string;
  readonly shape: Shape;
  readonly element: Schema;
  readonly innerType: Schema;
  readonly options: readonly Schema[];
}

const definitionOf = (schema: Schema): Definition => schema._zod.def as unknown as Definition;
const typeOf = (schema: Schema): string => definitionOf(schema).type;

/** Returns the members of the objects that a field holds: an object, an object or null, or a list of objects. */
function recordsIn(schema: Schema | undefined): Shape | undefined {
  if (!schema) return undefined;
  const { type, shape, element, innerType } = definitionOf(schema);
  if (type === 'object') return shape;
  return type === 'array' || type === 'nullable'
    ? recordsIn(type === 'array' ? element : innerType)
    : undefined;
}

/** Returns how the client checks a value of a schema: see `Kind` in outputs.ts. */
function kindOf(schema: Schema): unknown {
  const { type, shape, element, innerType, options } = definitionOf(schema);
  switch (type) {
    case 'string':
      return schema === fingerprint ? 'hash' : 'text';
    case 'enum':
      return 'text';
    case 'number':
      return 'count';
    case 'boolean':
      return 'truth';
    case 'record':
      return 'object';
    case 'nullable':
      return [kindOf(innerType), null];
    case 'optional':
      return [kindOf(innerType), 'optional'];
    case 'array':
      return [kindOf(element)];
    case 'union':
      return kindOf(options[0] ?? schema);
    case 'object':
      return Object.fromEntries(Object.entries(shape).map(([name, member]) => [name, kindOf(member)]));
    default:
      throw new Error(`expected a schema of a JSON value (got one of the type ${type})`);
  }
}

/** What each response must contain. For a batch, what each result must contain that is no error. */
function outputKindsOf(of: readonly Route[]): string {
  const kinds = of.flatMap((route) => {
    const { output, userOutput }: Endpoint = endpoints[route];
    const { results } = shapeOf(route);
    const own = [route, kindOf(results ? definitionOf(results).element : output)] as const;
    return userOutput ? [own, [`${route} of users`, kindOf(userOutput)] as const] : [own];
  });
  const texts = kinds.map(([, kind]) => JSON.stringify(kind));
  const repeated = [...new Set(texts.filter((text, at) => texts.indexOf(text) !== at))];
  const named = repeated.map((text, at) => [`record${at + 1}`, text] as const);
  const ofRoutes = named.reduce(
    (rest, [name, text]) => rest.replaceAll(text, `"${name}"`),
    JSON.stringify(Object.fromEntries(kinds)),
  );
  const shared = Object.fromEntries(named.map(([name, text]) => [name, JSON.parse(text) as unknown]));
  return `${JSON.stringify({ ...shared, ...(JSON.parse(ofRoutes) as object) }, undefined, 1)}\n`;
}
