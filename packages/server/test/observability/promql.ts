const words = String.raw`\{([^}]*)\}`;

export function metricsIn(expression: string): string[] {
  return expression.match(/\beaas_\w+/g) ?? [];
}

/**
 * Returns the labels that an expression uses, each with its metric. A label in `by` or `on` applies to all metrics of
 * the expression, so it is returned with each of them.
 */
export function labelsIn(expression: string, legend = '') {
  const selected = Array.from(
    expression.matchAll(new RegExp(`\\b(\\w+)${words}`, 'g')),
    ([, metric = '', text = '']) =>
      Array.from(text.matchAll(/(\w+)\s*(?:=~|!~|!=|=)\s*"/g), ([, label = '']) => ({ metric, label })),
  );
  const grouped = Array.from(
    expression.matchAll(/\b(?:by|without|on|ignoring)\s*\(([^)]*)\)/g),
    ([, list = '']) => list.split(',').map((label) => label.trim()),
  );
  const metrics = metricsIn(expression);
  const anywhere = [...grouped.flat(), ...labelsShownIn(legend)].flatMap((label) =>
    metrics.map((metric) => ({ metric, label })),
  );
  return [...selected.flat(), ...anywhere];
}

function labelsShownIn(legend: string): string[] {
  return Array.from(legend.matchAll(/\{\{\s*(\w+)\s*\}\}/g), ([, label = '']) => label);
}

/** Returns the labels of each metric, with the labels `job` and `instance`, which Prometheus adds to every metric. */
export function labelsOf(page: string): ReadonlyMap<string, ReadonlySet<string>> {
  const found = new Map<string, Set<string>>();
  for (const [, metric = '', text = ''] of page.matchAll(new RegExp(`^(\\w+)(?:${words})? \\S+$`, 'gm'))) {
    const labels = found.get(metric) ?? new Set(['job', 'instance']);
    for (const [, label = ''] of text.matchAll(/(\w+)="/g)) {
      labels.add(label === 'job' ? 'exported_job' : label);
    }
    found.set(metric, labels);
  }
  return found;
}
