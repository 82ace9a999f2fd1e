/** The progress line of a command. It is visible only if standard error is a terminal. */
export interface Progress {
  /**
   * Sets the number of bytes and files that the command will read. `bytes` is undefined if an input has no known size.
   */
  expect(bytes: number | undefined, files: number): void;
  /** Adds to the number of bytes that were read. */
  add(bytes: number): void;
  /** Adds one finished file. */
  finish(): void;
  /** Clears the progress line until the next update. */
  end(): void;
  /** Hides the progress line permanently. */
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
    finish() {
      files++;
      draw();
    },
    end() {
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

/** Formats a number of bytes, for example as 1.5 GiB. */
function inUnits(bytes: number): string {
  let value = bytes;
  let unit = 0;
  for (; value >= 1024 && unit < units.length - 1; unit++) value /= 1024;
  return `${unit === 0 ? Math.round(value) : value.toFixed(1)} ${units[unit]}`;
}
