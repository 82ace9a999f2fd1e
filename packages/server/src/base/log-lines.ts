import { writeSync } from 'node:fs';

export interface Lines {
  write(line: string): void;
}

export const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'];

const [pause, pauses] = [10, 10];
const never = new Int32Array(new SharedArrayBuffer(4));

/**
 * Writes lines to a file descriptor at once. A line that cannot be written, because the disk is full or because nobody
 * reads the pipe, is lost; the next line that arrives says how many were. The logger's own writer would try again for
 * ever, even while the process ends.
 */
export function linesTo(file: number, write: typeof writeSync = writeSync): Lines {
  let lost = 0;
  let isTorn = false;

  /** Returns how many bytes were written. Waits for a slow reader only if it has read so far. */
  const writeBytes = (bytes: Buffer): number => {
    let written = 0;
    for (let waited = 0; written < bytes.length;) {
      try {
        written += write(file, bytes, written);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EAGAIN' || lost > 0 || waited++ === pauses) break;
        Atomics.wait(never, 0, 0, pause);
      }
    }
    return written;
  };

  return {
    write(line) {
      const bytes = Buffer.from((isTorn ? '\n' : '') + (lost > 0 ? noteOf(lost) : '') + line);
      const written = writeBytes(bytes);
      if (written === bytes.length) [lost, isTorn] = [0, false];
      else [lost, isTorn] = [lost + 1, isTorn || written > 0];
    },
  };
}

function noteOf(lost: number): string {
  const note = {
    level: 'warn',
    time: new Date().toISOString(),
    lines: lost,
    msg: 'lines of the log were lost',
  };
  return `${JSON.stringify(note)}\n`;
}
