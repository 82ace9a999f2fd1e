const levels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'];

export type Log = (level: 'info' | 'warn' | 'error', message: string, fields?: object) => void;

/** The main process writes its few lines itself, because the HTTP server's logger would need the whole HTTP server. */
export function logTo(write: (line: string) => unknown, least: string): Log {
  return (level, message, fields) => {
    if (levels.indexOf(level) < levels.indexOf(least)) return;
    write(`${JSON.stringify({ level, time: new Date().toISOString(), ...fields, msg: message })}\n`);
  };
}
