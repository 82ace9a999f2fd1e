import { linesTo, logLevels } from '@eaas/server/internal';

export type Log = (level: 'info' | 'warn' | 'error', message: string, fields?: object) => void;

/** Returns a simple logger for the main process, because the HTTP server's logger would load the whole HTTP server. */
export function logTo(file: number, least: string): Log {
  const lines = linesTo(file);
  return (level, message, fields) => {
    if (logLevels.indexOf(level) < logLevels.indexOf(least)) return;
    lines.write(`${JSON.stringify({ level, time: new Date().toISOString(), ...fields, msg: message })}\n`);
  };
}
