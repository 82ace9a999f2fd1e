import { tableOf } from './figures.ts';
import type { Report } from './results.ts';

export function telemetryTables(reports: readonly Report[]): ReadonlyMap<string, readonly string[]> {
  const rows = reports.find(({ name }) => name === 'telemetry')?.rows ?? [];
  const micros = (perSecond: number): string => (1e6 / perSecond).toFixed(0);
  const [first] = rows;
  const reference = first ? [first.reference, micros(first.result.reference), '1', ''] : [];
  const compared = rows.map(({ ours, result: { ours: speed, ratio } }) => [
    `tracing ${ours}`,
    micros(speed),
    (1 / ratio.median).toFixed(2),
    `${(1 / ratio.max).toFixed(2)}–${(1 / ratio.min).toFixed(2)}`,
  ]);
  const head = ['server', 'µs of CPU for a wrap', 'ratio', 'ratio of each round'];
  return new Map([['telemetry', tableOf(head, [reference, ...compared])]]);
}
