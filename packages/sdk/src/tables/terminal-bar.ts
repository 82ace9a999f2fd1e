// The one bar of the terminal: `encryptExisting` fills it with rows, and the command `eaas-files` with bytes.

/** A line of the terminal that shows how far a long work has come. */
export interface TerminalLine {
  /** Draws the line again, at most ten times a second. `share` is from 0 to 1; without it, there is no bar. */
  draw(share: number | undefined, text: () => string): void;
  /** Removes the line, so that other output can follow. The next `draw` shows it again. */
  clear(): void;
  /** Draws nothing from now on. */
  hide(): void;
}

const redrawEvery = 100;
const barWidth = 24;
const clear = '\r\u001B[K';

interface Terminal {
  readonly isTTY?: boolean;
  write(text: string): unknown;
}

/** Returns a line on standard error. It shows nothing if standard error is no terminal, or if `isQuiet`. */
export function terminalLine(isQuiet = false): TerminalLine {
  const { process } = globalThis as { process?: { readonly stderr?: Terminal } };
  const terminal = process?.stderr;
  let isShown = terminal?.isTTY === true && !isQuiet;
  let next = performance.now() + redrawEvery;
  let isDrawn = false;
  return {
    draw(share, text) {
      const now = performance.now();
      if (!isShown || now < next) return;
      next = now + redrawEvery;
      isDrawn = true;
      terminal?.write(`${clear}${share === undefined ? '' : barOf(share)}${text()}`);
    },
    clear() {
      if (isDrawn) terminal?.write(clear);
      isDrawn = false;
    },
    hide() {
      isShown = false;
    },
  };
}

function barOf(share: number): string {
  const part = Math.max(0, Math.min(1, share));
  const filled = Math.round(part * barWidth);
  const percent = `${Math.floor(part * 100)}%`.padStart(4);
  return `[${'='.repeat(filled)}${' '.repeat(barWidth - filled)}] ${percent}  `;
}

/** The counts that `terminalBar` shows, such as the progress of `encryptExisting` or of `reencrypt`. */
export interface ShownProgress {
  readonly seen: number;
  readonly total?: number | undefined;
  readonly finished: boolean;
  readonly checked?: number | undefined;
}

/**
 * Returns a function for the option `onProgress` that draws a bar on standard error: percent, rows, and rows per second.
 * It shows nothing if standard error is no terminal, such as a pipe or a log.
 */
export function terminalBar(): (progress: ShownProgress) => void {
  const line = terminalLine();
  let start = performance.now();
  let before = 0;
  let isChecking = false;
  return ({ seen, total, finished, checked = 0 }) => {
    if (finished && !isChecking) {
      isChecking = true;
      start = performance.now();
      before = 0;
    }
    const rows = isChecking ? checked : seen;
    // A run that continues an earlier one begins with the rows of that run, which say nothing about its speed.
    if (!isChecking && before === 0) before = rows;
    const perSecond = Math.round(((rows - before) * 1_000) / (performance.now() - start));
    const share = total ? rows / total : undefined;
    line.draw(share, () => {
      const speed = perSecond > 0 ? `  ${perSecond.toLocaleString('en')} rows/s` : '';
      return `${rows.toLocaleString('en')} rows ${isChecking ? 'checked' : 'encrypted'}${speed}`;
    });
    if (isChecking && total !== undefined && checked >= total) line.clear();
  };
}
