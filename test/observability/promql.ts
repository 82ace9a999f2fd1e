interface Use {
  readonly metric: string;
  readonly label: string;
}

const words = String.raw`\{([^}]*)\}`;

export function metricsIn(expression: string): string[] {
  return expression.match(/\beaas_\w+/g) ?? [];
}

/** The labels of an expression: in a selector they belong to its metric, and elsewhere to every metric. */
export function labelsIn(expression: string, legend = ''): Use[] {
  const selected = Array.from(
    expression.matchAll(new RegExp(`\\b(\\w+)${words}`, 'g')),
    ([, metric = '', text = '']) =>
      Array.from(text.matchAll(/(\w+)\s*(?:=~|!~|!=|=)\s*"/g), ([, label = '']) => ({ metric, label })),
  );
  const grouped = Array.from(
    expression.matchAll(/\b(?:by|without|on|ignoring)\s*\(([^)]*)\)/g),
    ([, list = '']) => list.split(',').map((label) => label.trim()),
  );
  const shown = Array.from(legend.matchAll(/\{\{\s*(\w+)\s*\}\}/g), ([, label = '']) => label);
  const metrics = metricsIn(expression);
  const anywhere = [...grouped.flat(), ...shown].flatMap((label) =>
    metrics.map((metric) => ({ metric, label })),
  );
  return [...selected.flat(), ...anywhere];
}

/** The labels of each metric of a page of metrics, as Prometheus stores them: it adds the labels of the target. */
export function labelsOf(page: string): ReadonlyMap<string, ReadonlySet<string>> {
  const found = new Map<string, Set<string>>();
  for (const [, metric = '', text = ''] of page.matchAll(new RegExp(`^(\\w+)(?:${words})? \\S+$`, 'gm'))) {
    const labels = found.get(metric) ?? new Set(['job', 'instance']);
    for (const [, label = ''] of text.matchAll(/(\w+)="/g))
      labels.add(label === 'job' ? 'exported_job' : label);
    found.set(metric, labels);
  }
  return found;
}

/** The labels that the result of an expression keeps, or undefined if it keeps all labels of its metrics. */
export function keptBy(expression: string): readonly string[] | undefined {
  const outermost = /\b(?:sum|max|min|count|avg)\b(?:\s*by\s*\(([^)]*)\))?\s*\(/.exec(expression);
  return outermost ? (outermost[1] ?? '').split(',').map((label) => label.trim()) : undefined;
}
