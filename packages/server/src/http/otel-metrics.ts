import { telemetry } from '../base/tracing.ts';

/** Exports only counters and gauges, because OpenTelemetry cannot observe histograms. */
export async function bridgeMetrics(read: () => Promise<string>): Promise<void> {
  const connected = telemetry();
  if (!connected) return;
  const { meter } = connected;
  const families = (await read()).matchAll(/^# HELP (\w+) (.*)\n# TYPE \w+ (counter|gauge)$/gm);
  const instruments = new Map(
    Array.from(families, ([, name = '', description = '', type]) => {
      const instrument =
        type === 'counter'
          ? meter.createObservableCounter(name, { description })
          : meter.createObservableGauge(name, { description });
      return [name, instrument] as const;
    }),
  );
  meter.addBatchObservableCallback(async (result) => {
    for (const { name, value, labels } of samplesIn(await read())) {
      const instrument = instruments.get(name);
      if (instrument) result.observe(instrument, value, labels);
    }
  }, Array.from(instruments.values()));
}

function samplesIn(text: string) {
  return Array.from(text.matchAll(/^(\w+)(?:\{(.*)\})? (\S+)$/gm), ([, name = '', labels = '', value]) => ({
    name,
    labels: Object.fromEntries(
      Array.from(labels.matchAll(/(\w+)="([^"]*)"/g), ([, label = '', text = '']) => [label, text]),
    ),
    value: Number(value),
  }));
}
