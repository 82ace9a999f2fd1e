import { useEffect, useRef } from 'preact/hooks';
import uPlot from 'uplot';
import {
  type Month,
  monthName,
  operationNames,
  type CountedOperation,
  stackedTops,
  tickSteps,
  tickText,
} from './months.ts';

const height = 280;

export function Chart({ months }: { readonly months: readonly Month[] }) {
  const place = useRef<HTMLDivElement>(null);
  const shown = stackedTops(months).filter(({ operation }) =>
    months.some((month) => month.operations[operation] > 0),
  );

  useEffect(() => {
    const { current } = place;
    if (!current) return undefined;
    let plot: uPlot | undefined;
    const draw = (): void => {
      plot?.destroy();
      plot = new uPlot(
        optionsOf(
          current,
          months,
          shown.map(({ operation }) => operation),
        ),
        [months.map((_, index) => index), ...shown.map(({ tops }) => tops)],
        current,
      );
    };
    draw();
    const resized = new ResizeObserver(() => plot?.setSize({ width: current.clientWidth, height }));
    resized.observe(current);
    const scheme = matchMedia('(prefers-color-scheme: dark)');
    scheme.addEventListener('change', draw);
    return () => {
      resized.disconnect();
      scheme.removeEventListener('change', draw);
      plot?.destroy();
    };
  }, [months]);

  return (
    <figure class="chart">
      <div
        ref={place}
        role="img"
        aria-label="Usage by month as a bar chart. The table below has its numbers."
      />
      <figcaption>
        {shown.toReversed().map(({ operation }) => (
          <span key={operation}>
            <span
              class="swatch"
              style={{ background: `var(--chart-${classOf(operation)})` }}
              aria-hidden="true"
            />
            {operationNames[operation]}
          </span>
        ))}
      </figcaption>
    </figure>
  );
}

function optionsOf(
  place: HTMLElement,
  months: readonly Month[],
  shown: readonly CountedOperation[],
): uPlot.Options {
  const style = getComputedStyle(place);
  const color = (name: string): string => style.getPropertyValue(name).trim();
  const axis: uPlot.Axis = {
    stroke: color('--soft'),
    font: `12px ${style.fontFamily}`,
    ticks: { show: false },
  };
  const bars = uPlot.paths.bars?.({ size: [0.6, 48] });
  return {
    width: place.clientWidth,
    height,
    legend: { show: false },
    cursor: { show: false },
    scales: {
      x: { time: false, range: [-0.6, months.length - 0.4] },
      y: { range: (_, __, max) => [0, max * 1.08 || 1] },
    },
    axes: [
      {
        ...axis,
        grid: { show: false },
        splits: () => months.map((_, index) => index),
        values: () => namesThatFit(months, place.clientWidth),
      },
      {
        ...axis,
        grid: { stroke: color('--line'), width: 1 },
        size: 64,
        incrs: tickSteps,
        values: (_, values) => values.map(tickText),
      },
    ],
    series: [
      {},
      ...shown.map((operation) => ({
        label: operationNames[operation],
        fill: color(`--chart-${classOf(operation)}`),
        width: 0,
        points: { show: false },
        ...(bars && { paths: bars }),
      })),
    ],
  };
}

function namesThatFit(months: readonly Month[], width: number): string[] {
  const every = width / months.length < 36 ? 3 : 1;
  return months.map(({ month }, index) =>
    (months.length - 1 - index) % every === 0 ? monthName(month, 'short') : '',
  );
}

function classOf(operation: CountedOperation): string {
  return operation.replace('.', '-');
}
