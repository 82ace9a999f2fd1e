import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { requireTools } from '../setup/tools.ts';
import { root } from './markdown.ts';
import { optionsFor } from './reference-options.ts';
import { compact, indexOf } from './reference-pages.ts';

/** Where the reference is committed. */
export const reference = 'packages/sdk/docs/reference';

interface Project {
  readonly children: readonly { name: string }[];
}

/** What is used of typedoc. */
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

const warning = 2; // and above: of its levels

export interface Entry {
  /** `@eaas/sdk/stream` */
  readonly specifier: string;
  /** `sdk-stream` */
  readonly page: string;
  readonly source: string;
}

/** Every entry of a package that an app can import. */
function entriesOf(folder: string): Entry[] {
  const { name, exports } = JSON.parse(readFileSync(`${root}packages/${folder}/package.json`, 'utf8')) as {
    name: string;
    exports: Record<string, { '@eaas/source'?: string | { default: string } }>;
  };
  return Object.entries(exports).flatMap(([subpath, { '@eaas/source': source }]) => {
    if (source === undefined) return [];
    const specifier = name + subpath.slice(1);
    const file = typeof source === 'string' ? source : source.default;
    const page = specifier.slice('@eaas/'.length).replace('/', '-');
    return [{ specifier, page, source: join(root, 'packages', folder, file) }];
  });
}

/**
 * Writes the API reference into a folder, a page an entry. Answers what typedoc complained of: names that are used and
 * not exported, and exports without a sentence.
 */
export async function writeReference(folder: string): Promise<string[]> {
  const modules = await requireTools('reference');
  const typedoc = (await import(pathToFileURL(join(modules, 'typedoc/dist/index.js')).href)) as Typedoc;
  const complaints: string[] = [];
  const all: Entry[] = [];
  // One by one: of several packages at once typedoc does not say what is not exported.
  for (const side of ['sdk', 'protocol'] as const) {
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
  writeFileSync(join(folder, 'README.md'), indexOf(all));
  return complaints;
}

/** Typedoc names a page after its source; it is to be named after what is imported. */
function namePages({ children }: Project, entries: readonly Entry[]): void {
  for (const module of children) {
    const paths = [`/${module.name}.ts`, `/${module.name}/index.ts`];
    const entry = entries.find(({ source }) => paths.some((path) => source.endsWith(path)));
    if (!entry) throw new Error(`no entry has the source ${module.name}`);
    module.name = entry.page;
  }
}
