import { logLevels } from '../config.ts';

export type Log = (level: 'info' | 'warn' | 'error', message: string, fields?: object) => void;

/** Returns a simple logger for the main process, because the HTTP server's logger would load the whole HTTP server. */
export function logTo(write: (line: string) => unknown, least: string): Log {
  return (level, message, fields) => {
    if (logLevels.indexOf(level) < logLevels.indexOf(least)) return;
    write(`${JSON.stringify({ level, time: new Date().toISOString(), ...fields, msg: message })}\n`);
  };
}
