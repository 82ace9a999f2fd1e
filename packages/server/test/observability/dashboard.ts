import { read } from '@eaas/test-kit/markdown';

interface Target {
  readonly refId: string;
  readonly expr: string;
  readonly legendFormat: string;
  readonly datasource: object;
}

interface Panel {
  readonly id: number;
  readonly type: string;
  readonly title: string;
  readonly description?: string;
  readonly datasource?: object;
  readonly targets?: readonly Target[];
}

interface Dashboard {
  readonly title: string;
  readonly panels: readonly Panel[];
  readonly templating: { readonly list: readonly { readonly name: string; readonly type: string }[] };
}

export const dashboard = JSON.parse(read('examples/observability/dashboard.json')) as Dashboard;

export const queries = dashboard.panels.flatMap(({ targets = [] }) =>
  targets.map(({ expr, legendFormat }) => ({
    expression: expr.replaceAll('$__rate_interval', '5m').replaceAll(/\$(?:job|instance)\b/g, '.*'),
    legend: legendFormat,
  })),
);

export const expressions: readonly string[] = queries.map(({ expression }) => expression);
