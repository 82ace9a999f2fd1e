// Which program listens on a port, as far as Linux tells this user.
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { attempt, inLine } from '@eaas/protocol/internal';

/** Returns the name and the process id of the program, such as `node (process 4711)`. Undefined if nobody says. */
export function portHolder(port: number): string | undefined {
  const sockets = new Set(['tcp', 'tcp6'].flatMap((table) => socketsOn(port, `/proc/net/${table}`)));
  const isHolder = (pid: string): boolean =>
    namesIn(`/proc/${pid}/fd`).some((fd) =>
      sockets.has(attempt(() => readlinkSync(`/proc/${pid}/fd/${fd}`)) ?? ''),
    );
  const pid = namesIn('/proc').find((name) => /^\d+$/.test(name) && isHolder(name));
  const program = attempt(() => readFileSync(`/proc/${pid}/comm`, 'utf8'))?.trim();
  return program === undefined ? undefined : `${inLine(program)} (process ${pid})`;
}

const namesIn = (folder: string): readonly string[] => attempt(() => readdirSync(folder)) ?? [];

/** The listening sockets of a table of the kernel, as links in /proc name them. */
function socketsOn(port: number, table: string): readonly string[] {
  const ending = `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  const rows = attempt(() => readFileSync(table, 'utf8'))?.split('\n') ?? [];
  return rows.flatMap((row) => {
    const [, local, , state, , , , , , inode] = row.trim().split(/\s+/);
    return local?.endsWith(ending) && state === '0A' ? [`socket:[${inode}]`] : [];
  });
}
