import { writeSync } from 'node:fs';
import { logLevels } from '../config.ts';

export type Log = (level: 'info' | 'warn' | 'error', message: string, fields?: object) => void;

/**
 * Returns a simple logger for the main process, because the HTTP server's logger would load the whole HTTP server. A line
 * that cannot be written, for example because the disk is full, is lost.
 */
export function logTo(file: number, least: string): Log {
  return (level, message, fields) => {
    if (logLevels.indexOf(level) < logLevels.indexOf(least)) return;
    const line = JSON.stringify({ level, time: new Date().toISOString(), ...fields, msg: message });
    try {
      writeSync(file, `${line}\n`);
    } catch {}
  };
}
