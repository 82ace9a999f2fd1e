import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { requireTools } from '@eaas/test-kit/tools';
import { root } from '@eaas/test-kit/markdown';

export const reference = 'packages/sdk/docs/reference';

/** The line of each entry point on the first page, and of the client's most used calls, in the order of the pages. */
const known = JSON.parse(readFileSync(`${root}test/docs/reference.json`, 'utf8')) as {
  readonly entries: Readonly<Record<string, string>>;
  readonly calls: readonly string[];
};

interface Project {
  readonly children: readonly { name: string }[];
}

interface Application {
  readonly converter: { on(event: 'resolveEnd', listener: (context: { project: Project }) => void): void };
  readonly logger: { log: (message: string, level: number) => void };
  convert(): Promise<Project | undefined>;
  validate(project: Project): void;
  generateOutputs(project: Project): Promise<void>;
}

interface Typedoc {
  readonly Application: { bootstrapWithPlugins(options: object): Promise<Application> };
}

const warning = 2;

interface Entry {
  readonly specifier: string;
  readonly page: string;
  readonly source: string;
}

function entriesOf(folder: string): Entry[] {
  const { name, exports } = JSON.parse(readFileSync(`${root}packages/${folder}/package.json`, 'utf8')) as {
    name: string;
    exports: Record<string, { '@eaas/source'?: string | { default: string } }>;
  };
  return Object.entries(exports).flatMap(([subpath, { '@eaas/source': source }]) => {
    if (source === undefined || subpath.startsWith('./internal')) return [];
    const specifier = name + subpath.slice(1);
    const file = typeof source === 'string' ? source : source.default;
    const page = specifier.slice('@eaas/'.length).replace('/', '-');
    return [{ specifier, page, source: join(root, 'packages', folder, file) }];
  });
}

export async function writeReference(folder: string): Promise<string[]> {
  const modules = await requireTools('test/tools/reference');
  const typedoc = (await import(pathToFileURL(join(modules, 'typedoc/dist/index.js')).href)) as Typedoc;
  const complaints: string[] = [];
  const all: Entry[] = [];
  // Runs typedoc once per package, because a run for several packages does not report types that are not exported.
  for (const side of Object.keys(unnamed) as Folder[]) {
    const entries = entriesOf(side);
    const app = await typedoc.Application.bootstrapWithPlugins(optionsFor(side, entries, modules, folder));
    app.logger.log = (message, level) => void (level >= warning && complaints.push(message));
    app.converter.on('resolveEnd', ({ project }) => namePages(project, entries));
    const project = await app.convert();
    if (!project) throw new Error(`typedoc could not read the sources: ${complaints.join('\n')}`);
    app.validate(project);
    await app.generateOutputs(project);
    all.push(...entries);
  }
  for (const { page } of all) {
    const path = join(folder, `${page}.md`);
    writeFileSync(path, arranged(compact(readFileSync(path, 'utf8'))));
  }
  const pageOf = new Map(all.map(({ specifier, page }) => [specifier, page]));
  const lines = Object.entries(known.entries).map(
    ([specifier, about]) => `- [${specifier}](${pageOf.get(specifier)}.md): ${about}`,
  );
  const index = `# API reference\n\nWhat you can import, most used first. \`npm run reference\` makes these pages of the sources.\n\n${lines.join('\n')}\n`;
  writeFileSync(join(folder, 'README.md'), index);
  return complaints;
}

function namePages({ children }: Project, entries: readonly Entry[]): void {
  for (const module of children) {
    const paths = [`/${module.name}.ts`, `/${module.name}/index.ts`];
    const entry = entries.find(({ source }) => paths.some((path) => source.endsWith(path)));
    if (!entry) throw new Error(`${paths.join(' or ')} must be an entry point of the API reference`);
    module.name = entry.page;
  }
}

type Folder = 'sdk' | 'migrate' | 'audit' | 'protocol' | 'drizzle' | 'prisma' | 'kysely' | 'local';

// Types that need no entry in the reference, because apps do not need their names.
const unnamed: Readonly<Record<Folder, readonly string[]>> = {
  sdk: `Absent Aliases AliasesIn Answer apiKeyRoutes Bound BudgetLimits ByteTransform CacheLimits Calls ColumnPlace Concealable Defined describe ExportInput Fetch
    FieldName FieldOf WithFieldsQuery Flat FormOf HalfOption IdFor Index IndexColumn IndexColumns IndexValue InputOf
    inside IntakeEncryptOptions IntakeItem IntakeWrapOptions issuerRoutes IsWhole KeyFilter
    keyRoutes LowEntropyField named NameOf NestedIn NestedValue Nesting OnlyColumns OnlyDefined operations
    OptionalLimits OptionsOf OrSettled PartColumn PartColumns PartComparison PartQueries PartsOf Plain
    RangeIndex ReadableRow ReadOf Result Revealed Revealer Revealing RowIn serverModeRoutes Step SubjectOption SubjectRow SubjectSource
    SubstituteOf TextField Throwing ThrowingUnlessErased TracingTracer TypedValue ValueOf
    ValueType Where`.split(/\s+/),
  migrate: ['EncryptedDatabase'],
  audit: ['Abortable', 'Purged'],
  drizzle:
    'Builders DefineTable Dialect Encrypt PartsQuery Source TransactionOf WithEncryption Writing'.split(' '),
  prisma: `Chosen Encrypted Flat OnErrors Payload PlainModels PlainScalars Transactions Within
    WithPlain`.split(/\s+/),
  kysely: [],
  local: 'Call Entry Fetch NewApiKeyFields NewKeyFields Only Options'.split(' '),
  protocol: ['actionTexts', 'Hmac', 'InputOf', 'TextKey'],
};

// Members without a description, because Node, JavaScript or another type of the package already describes them.
const unsaid: Readonly<Partial<Record<Folder, readonly string[]>>> = {
  sdk: [
    ...['setHeader', 'end', 'on'].map((name) => `sdk-proxy.NodeResponse.${name}`),
    'sdk-fields.Records.[dispose]',
  ],
  prisma: ['$revealed', '[clientOf]'].map((name) => `prisma.EncryptedTransaction.__type.${name}`),
};

function optionsFor(folder: Folder, entries: readonly Entry[], modules: string, out: string): object {
  return {
    entryPoints: entries.map(({ source }) => source),
    alwaysCreateEntryPointModule: true,
    tsconfig: `${root}test/tools/reference/tsconfig.json`,
    out,
    cleanOutputDir: false,
    plugin: [join(modules, 'typedoc-plugin-markdown/dist/index.js')],
    router: 'module',
    readme: 'none',
    disableSources: true,
    excludeExternals: true,
    excludeProtected: true,
    skipErrorChecking: true,
    hidePageHeader: true,
    hideBreadcrumbs: true,
    useCodeBlocks: true,
    parametersFormat: 'table',
    interfacePropertiesFormat: 'table',
    classPropertiesFormat: 'table',
    typeAliasPropertiesFormat: 'table',
    tableColumnSettings: {
      hideDefaults: true,
      hideInherited: true,
      hideModifiers: true,
      hideOverrides: true,
    },
    pageTitleTemplates: { module: ({ name }: { name: string }) => `@eaas/${name.replace('-', '/')}` },
    logLevel: 'Warn',
    validation: { notExported: true, notDocumented: true, invalidLink: true },
    intentionallyNotExported: unnamed[folder],
    intentionallyNotDocumented: unsaid[folder] ?? [],
    requiredToBeDocumented: ['Class', 'Interface', 'TypeAlias', 'Function', 'Variable'],
  };
}

/** Puts first what apps use most: functions before types, the client and its calls before errors. */
function arranged(page: string): string {
  const clientOf = (name: string): RegExp => new RegExp(`^### ${name}\\n.*?(?=^#{2,3} )`, 'ms');
  const envelope = clientOf('EnvelopeClient').exec(page)?.[0] ?? '';
  const [about, methods = ''] = envelope.split(/(?<=^#### Methods\n)/m);
  const ranked = sorted(methods, 5, ['encrypt()', 'decrypt()', 'encryptMany()', 'decryptMany()', 'as()']);
  const used = `Apps use most:\n\n${known.calls.map((call) => `- ${call}`).join('\n')}\n\n#### Example`;
  const client = (text: string): string => text.replace('#### Example', used) + about + ranked;
  const gathered = page.replace(envelope, '').replace(clientOf('EaasClient'), client);
  const groups = sorted(gathered, 2, ['Variables', 'Functions', 'Classes']);
  return groups
    .split(/^(?=## )/m)
    .map((group) => sorted(group, 3, ['EaasClient', 'EnvelopeClient']))
    .join('');
}

/** Sorts the sections of a level: those named `first`, the others, and errors. */
function sorted(text: string, level: number, first: readonly string[]): string {
  const [head = '', ...sections] = text.split(new RegExp(`^(?=#{${level}} )`, 'm'));
  const rank = (section: string): number => {
    const name = /^#+ (.*)/.exec(section)?.[1] ?? '';
    return first.includes(name) ? first.indexOf(name) : first.length + Number(name.endsWith('Error'));
  };
  return [head, ...sections.toSorted((one, other) => rank(one) - rank(other))].join('');
}

function compact(page: string): string {
  // A heading of level 6 does not start a section. It is a part of the section of a method.
  const sections = page.split(/^(?=#{1,5} )/m);
  return sections
    .filter((section) => !section.includes('\n###### Inherited from\n'))
    .join('')
    .replace(/^(### (?:endpoints|problems)\n[^#]*)#### Type Declaration\n.*?(?=^#{2,3} )/gms, '$1')
    .replace(/^#{4,6} (?:Returns|Overrides|Implementation of)\n(?:(?!#).*\n)*/gm, '')
    .replace(/<a id="[^"]*"><\/a> /g, '')
    .replace(/\[([^\]]+)\]\([\w.-]*#(?:property|type-parameter)-[\w-]+\)/g, '$1')
    .replace(/^\*\*\*\n\n/gm, '');
}
