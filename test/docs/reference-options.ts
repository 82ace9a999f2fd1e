import { join } from 'node:path';
import { root } from './markdown.ts';
import type { Entry } from './reference.ts';

type Folder = 'sdk' | 'protocol';

// What types are computed with, and what nobody has to name: the pages say it where it is used.
const unnamed: Readonly<Record<Folder, readonly string[]>> = {
  sdk: wordsOf(`Absent ApiKeyFields ByteTransform Calls FieldValue Fields Flat FormOf IdFor IndexColumn
    IndexColumns KeyFields KeyRecord NameOf OptionsOf Plain PlaceOf RewrapClient Searchable Stored ValueOf ValueType
    Where apiKeyRoutes keyRoutes named ownReasons serverModeRoutes`),
  protocol: wordsOf('KeyIds Part PathPart TextKey'),
};

// Declared as Node declares them, or said a line above: an overload, and `using`.
const unsaid: Readonly<Record<Folder, readonly string[]>> = {
  sdk: [
    ...['on', 'resume'].map((name) => `sdk-proxy.NodeRequest.${name}`),
    ...['setHeader', 'end', 'on'].map((name) => `sdk-proxy.NodeResponse.${name}`),
    ...['decryptRows', '[dispose]'].map((name) => `sdk-fields.Records.${name}`),
    'sdk-reencrypt.InventoryOptions.client.__type.keys.__type.get',
  ],
  protocol: [],
};

/** What typedoc is told: which sources, and how their pages look. */
export function optionsFor(folder: Folder, entries: readonly Entry[], modules: string, out: string): object {
  return {
    entryPoints: entries.map(({ source }) => source),
    tsconfig: `${root}test/tools/reference/tsconfig.json`,
    out,
    cleanOutputDir: false,
    plugin: [join(modules, 'typedoc-plugin-markdown/dist/index.js')],
    router: 'module',
    readme: 'none',
    disableSources: true,
    excludeExternals: true,
    excludeProtected: true,
    // `npm run check` has done that.
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
    // A property that says enough by its name and type needs no sentence.
    intentionallyNotExported: unnamed[folder],
    intentionallyNotDocumented: unsaid[folder],
    requiredToBeDocumented: ['Class', 'Interface', 'TypeAlias', 'Function', 'Variable'],
  };
}

function wordsOf(text: string): string[] {
  return text.split(/\s+/);
}
