import { terminalLine } from '@eaas/sdk/tables';

export interface Progress {
  expect(bytes: number | undefined, files: number): void;
  add(bytes: number): void;
  finishFile(): void;
  clearLine(): void;
  hide(): void;
}

export function createProgress(isQuiet: boolean): Progress {
  const line = terminalLine(isQuiet);
  const start = performance.now();
  let [done, files] = [0, 0];
  let total: number | undefined;
  let allFiles = 0;
  const draw = (): void =>
    line.draw(total ? done / total : undefined, () => {
      const rate = `${inUnits((done * 1000) / (performance.now() - start))}/s`;
      const count = allFiles > 1 ? `  ${files} of ${allFiles} files` : '';
      return `${inUnits(done)}  ${rate}${count}`;
    });
  return {
    expect(bytes, count) {
      total = bytes;
      allFiles = count;
    },
    add(bytes) {
      done += bytes;
      draw();
    },
    finishFile() {
      files++;
      draw();
    },
    clearLine: () => line.clear(),
    hide: () => line.hide(),
  };
}

const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'] as const;

function inUnits(bytes: number): string {
  let value = bytes;
  let unit = 0;
  for (; value >= 1024 && unit < units.length - 1; unit++) value /= 1024;
  return `${unit === 0 ? Math.round(value) : value.toFixed(1)} ${units[unit]}`;
}
