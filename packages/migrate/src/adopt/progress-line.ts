// The line of progress that the command shows in a terminal.
import type { MigrateProgress } from '../progress.ts';

const redrawEvery = 100;
const erase = '\r\u001B[K';

/** Returns a line on standard error. It shows nothing if that is no terminal, such as a pipe or a log. */
export function progressLine() {
  const { stderr } = globalThis.process ?? {};
  const terminal = stderr?.isTTY ? stderr : undefined;
  let next = performance.now() + redrawEvery;
  return {
    show: ({ seen, checked, total, finished }: MigrateProgress): void => {
      if (performance.now() < next) return;
      next = performance.now() + redrawEvery;
      const [rows, all] = [finished ? checked : seen, total].map((count) => count.toLocaleString('en'));
      terminal?.write(`${erase}${finished ? 'checked' : 'converted'} ${rows} of ${all} rows`);
    },
    clear: (): void => void terminal?.write(erase),
  };
}
