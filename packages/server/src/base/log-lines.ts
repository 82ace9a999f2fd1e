// Writes the log of a server, so that a full disk or a reader that stopped costs lines and nothing else.
import { writeSync } from 'node:fs';

export interface Lines {
  write(line: string): void;
}

export const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'];

/** How long a writer waits for a reader that is behind, in milliseconds. */
const pause = 10;
/** How often a writer waits before a line is lost. */
const pauses = 10;
/** What a writer waits on: nobody ever wakes it. */
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
      if (written === bytes.length) {
        lost = 0;
        isTorn = false;
      } else {
        lost += Math.min(linesIn(line), linesIn(bytes, written));
        isTorn ||= written > 0;
      }
    },
  };
}

const linesIn = (text: string | Buffer, from = 0): number =>
  text.toString('latin1', from).split('\n').length - 1;

/**
 * Writes together what is written in one turn of the event loop: a write for each line would take 8 % of the CPU time of a wrap.
 * The lines of the last turn are written when the process ends.
 */
export function inTurns(lines: Lines): Lines {
  let waiting = '';
  const flush = (): void => {
    if (waiting) lines.write(waiting);
    waiting = '';
  };
  process.on('exit', flush);
  return {
    write(line) {
      if (!waiting) setImmediate(flush);
      waiting += line;
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
