// The line of progress that commands show in a terminal, with the time that is left.

const redrawEvery = 100;
const erase = '\r\u001B[K';

/** Returns a line on standard error. It shows nothing if that is no terminal, such as a pipe or a log. */
export function progressLine() {
  const { stderr } = globalThis.process ?? {};
  const terminal = stderr?.isTTY ? stderr : undefined;
  let next = performance.now() + redrawEvery;
  let start: { readonly at: number; readonly done: number } | undefined;
  let isDrawn = false;
  return {
    /** `text` says how far the work is. Without a total, nobody knows how much is left. */
    show(done: number, total: number | undefined, text: string): void {
      const now = performance.now();
      // What was done before, as by an earlier run, says nothing about the pace. The second part of a work begins anew.
      if (!start || done < start.done) start = { at: now, done };
      if (!terminal || now < next) return;
      next = now + redrawEvery;
      isDrawn = true;
      const pace = (done - start.done) / (now - start.at);
      const left = total !== undefined && pace > 0 ? `, ${timeOf((total - done) / pace)} left` : '';
      terminal.write(`${erase}${text}${left}`);
    },
    clear: (): void => {
      if (isDrawn) terminal?.write(erase);
      isDrawn = false;
    },
  };
}

function timeOf(milliseconds: number): string {
  const seconds = Math.ceil(Math.max(0, milliseconds) / 1_000);
  if (seconds < 100) return `${seconds} s`;
  const minutes = Math.round(seconds / 60);
  return minutes < 100 ? `${minutes} min` : `${Math.round(minutes / 60)} h`;
}
