import { symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { newDirectory } from '@eaas/test-kit/directory';
import { run } from '@eaas/test-kit/program';
import { read, root } from '@eaas/test-kit/markdown';
import { requireTools } from '@eaas/test-kit/tools';

/** Grafana's types, but with strings instead of enums, and with the fields that Prometheus adds to queries. */
const types = `
import type { AnnotationQuery, Dashboard, Panel, RowPanel, VariableModel } from '@grafana/schema';
import type { Options as Stat } from '@grafana/schema/dist/esm/raw/composable/stat/panelcfg/x/StatPanelCfg_types.gen';
import type * as TimeSeries from '@grafana/schema/dist/esm/raw/composable/timeseries/panelcfg/x/TimeSeriesPanelCfg_types.gen';
type Plain<T> = T extends string ? \`\${T}\`
  : T extends readonly (infer E)[] ? Plain<E>[]
  : T extends object ? { [K in keyof T]: Plain<T[K]> }
  : T;
type Part<T> = T extends readonly unknown[] ? T : T extends object ? { [K in keyof T]?: Part<T[K]> } : T;
type Typed<Type extends string, Options, Custom> = Omit<Plain<Panel>, 'type' | 'options' | 'fieldConfig' | 'targets'> & {
  type: Type;
  options: Part<Plain<Options>>;
  targets: { refId: string; expr: string; legendFormat: string; datasource: { type: string; uid: string } }[];
  fieldConfig: {
    defaults: Omit<Plain<NonNullable<Panel['fieldConfig']>['defaults']>, 'custom' | 'thresholds'> & {
      custom?: Part<Plain<Custom>>;
      thresholds?: { mode: 'absolute'; steps: { color: string; value: number | null }[] };
    };
    overrides: Plain<NonNullable<Panel['fieldConfig']>['overrides']>;
  };
};
type Variable = Omit<Plain<VariableModel>, 'current'> & { definition?: string; current: object };
type Annotation = Plain<AnnotationQuery> & { expr?: string; step?: string; titleFormat?: string };
export type Checked = Omit<Plain<Dashboard>, 'annotations' | 'panels' | 'templating'> & {
  annotations: { list: Annotation[] };
  templating: { list: Variable[] };
  panels: (
    | (Omit<Plain<RowPanel>, 'type'> & { type: 'row' })
    | Typed<'stat', Stat, never>
    | Typed<'timeseries', TimeSeries.Options, TimeSeries.FieldConfig>
  )[];
};
`;

test('the dashboard matches the published types of Grafana', async () => {
  const folder = await newDirectory();
  await symlink(await requireTools('test/tools/grafana'), join(folder, 'node_modules'));
  await writeFile(join(folder, 'types.ts'), types);
  const json = read('examples/observability/dashboard.json');
  const check = async (changed: string): Promise<string> => {
    const source = `import type { Checked } from './types.ts';\nexport const dashboard: Checked = ${changed};\n`;
    await writeFile(join(folder, 'dashboard.ts'), source);
    const options = ['--noEmit', '--strict', '--skipLibCheck', '--types', '', '--allowImportingTsExtensions'];
    const modules = ['--module', 'esnext', '--moduleResolution', 'bundler'];
    const tsc = join(root, 'node_modules/typescript/bin/tsc');
    const command = [process.execPath, tsc, ...options, ...modules, 'dashboard.ts'];
    return (await run(command, {}, { cwd: folder })).stdout;
  };
  expect(await check(json)).toBe('');
  const wrong = json
    .replace('"colorMode": "background"', '"colorMode": "back"')
    .replace('"drawStyle": "line"', '"drawStyle": "curve"')
    .replace('"unit": "percentunit"', '"units": "percentunit"');
  const found = await check(wrong);
  expect(found).toContain('\'"back"\'');
  expect(found).toContain('\'"curve"\'');
  expect(found).toContain('\'"units"\'');
});
