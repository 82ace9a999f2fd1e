import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { requireTools } from '@eaas/test-kit/tools';
import { root } from '@eaas/test-kit/markdown';

export const reference = 'packages/sdk/docs/reference';

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
  for (const side of ['sdk', 'migrate', 'audit', 'protocol'] as const) {
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
    writeFileSync(path, compact(readFileSync(path, 'utf8')));
  }
  const links = all.map(({ specifier, page }) => `- [${specifier}](${page}.md)`).join('\n');
  const index = `# API reference\n\nMade of the sources by \`npm run reference\`.\n\n${links}\n`;
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

type Folder = 'sdk' | 'migrate' | 'audit' | 'protocol';

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
  protocol: ['actionTexts', 'Hmac', 'InputOf', 'TextKey'],
};

// Members without a description, because Node, JavaScript or another type of the package already describes them.
const unsaid: Readonly<Record<Folder, readonly string[]>> = {
  sdk: [
    ...['setHeader', 'end', 'on'].map((name) => `sdk-proxy.NodeResponse.${name}`),
    'sdk-fields.Records.[dispose]',
  ],
  migrate: [],
  audit: [],
  protocol: [],
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
    intentionallyNotDocumented: unsaid[folder],
    requiredToBeDocumented: ['Class', 'Interface', 'TypeAlias', 'Function', 'Variable'],
  };
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
