export interface Progress {
  expect(bytes: number | undefined, files: number): void;
  add(bytes: number): void;
  finishFile(): void;
  clearLine(): void;
  hide(): void;
}

const redrawEvery = 100;
const barWidth = 24;
const clear = '\r\u001B[K';

export function createProgress(isQuiet: boolean): Progress {
  let isShown = process.stderr.isTTY && !isQuiet;
  const start = performance.now();
  let next = start + redrawEvery;
  let isDrawn = false;
  let [done, files] = [0, 0];
  let total: number | undefined;
  let allFiles = 0;
  const draw = (): void => {
    const now = performance.now();
    if (!isShown || now < next) return;
    next = now + redrawEvery;
    isDrawn = true;
    const rate = `${inUnits((done * 1000) / (now - start))}/s`;
    const count = allFiles > 1 ? `  ${files} of ${allFiles} files` : '';
    process.stderr.write(`${clear}${bar(done, total)}${inUnits(done)}  ${rate}${count}`);
  };
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
    clearLine() {
      if (isDrawn) process.stderr.write(clear);
      isDrawn = false;
    },
    hide() {
      isShown = false;
    },
  };
}

function bar(done: number, total: number | undefined): string {
  if (total === undefined || total === 0) return '';
  const share = Math.min(1, done / total);
  const filled = Math.round(share * barWidth);
  const percent = `${Math.floor(share * 100)}%`.padStart(4);
  return `[${'='.repeat(filled)}${' '.repeat(barWidth - filled)}] ${percent}  `;
}

const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'] as const;

function inUnits(bytes: number): string {
  let value = bytes;
  let unit = 0;
  for (; value >= 1024 && unit < units.length - 1; unit++) value /= 1024;
  return `${unit === 0 ? Math.round(value) : value.toFixed(1)} ${units[unit]}`;
}
