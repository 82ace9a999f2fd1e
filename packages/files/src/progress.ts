// The bar of a terminal that shows how many bytes a command has read, how fast, and how long the rest takes.
import { progressLine } from '@eaas/protocol/internal';

const barWidth = 24;

export interface Progress {
  expect(bytes: number | undefined, files: number): void;
  add(bytes: number): void;
  finishFile(): void;
  clearLine(): void;
  hide(): void;
}

export function createProgress(isQuiet: boolean): Progress {
  const line = progressLine();
  const start = performance.now();
  let isShown = !isQuiet;
  let done = 0;
  let files = 0;
  let total: number | undefined;
  let allFiles = 0;
  function draw(): void {
    if (!isShown) return;
    const rate = `${inUnits((done * 1000) / (performance.now() - start))}/s`;
    const count = allFiles > 1 ? `  ${files} of ${allFiles} files` : '';
    line.show(done, total, `${total ? barOf(done / total) : ''}${inUnits(done)}  ${rate}${count}`);
  }
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
    clearLine: line.clear,
    hide() {
      isShown = false;
    },
  };
}

function barOf(share: number): string {
  const part = Math.min(1, share);
  const filled = Math.round(part * barWidth);
  const percent = `${Math.floor(part * 100)}%`.padStart(4);
  return `[${'='.repeat(filled)}${' '.repeat(barWidth - filled)}] ${percent}  `;
}

const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'] as const;

function inUnits(bytes: number): string {
  let value = bytes;
  let unit = 0;
  for (; value >= 1024 && unit < units.length - 1; unit++) value /= 1024;
  return `${unit === 0 ? Math.round(value) : value.toFixed(1)} ${units[unit]}`;
}
