/** Prometheus requires that all samples of a metric follow its HELP and TYPE lines. */
export function mergeMetrics(texts: ReadonlyMap<number, string>): string {
  const samplesOf = new Map<string, string[]>();
  for (const [worker, text] of texts) {
    for (const family of text.split(/^(?=# HELP )/m)) {
      const [help = '', type = '', ...lines] = family.trimEnd().split('\n');
      const head = `${help}\n${type}\n`;
      const samples = samplesOf.get(head) ?? [];
      samples.push(...lines.map((line) => labelled(line, worker)));
      samplesOf.set(head, samples);
    }
  }
  return Array.from(
    samplesOf,
    ([head, samples]) => `${head}${samples.map((line) => `${line}\n`).join('')}`,
  ).join('');
}

function labelled(line: string, worker: number): string {
  const label = `worker="${worker}"`;
  const named = line.replace(/^(\w+)\{/, `$1{${label},`);
  return named === line ? line.replace(/^(\w+)/, `$1{${label}}`) : named;
}
