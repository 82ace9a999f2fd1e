// One change at a time among all processes: the lock is the file `local.json.lock`, which names the process that changes the key
// file. The lock of a killed process is broken under a second lock: otherwise, whoever breaks it could remove a newer lock. The lock
// of another container or machine is never removed: the error names the file to delete.
import { randomUUID } from 'node:crypto';
import { linkSync, readFileSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { kill, pid } from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import { InputError } from '@eaas/protocol';
import { attempt } from '@eaas/protocol/internal';

let known: string | undefined;
/**
 * This machine and, on Linux, its namespace of process ids, which a container has of its own. Read for the first lock,
 * because Deno asks for the permission, which a service in memory does not need.
 */
function hostOf(): string {
  known ??= `${hostname()} ${attempt(() => readlinkSync('/proc/self/ns/pid')) ?? ''}`;
  return known;
}

export interface Held {
  /** Whether the lock still belongs to this holder. Somebody could have deleted it by hand. */
  isHeld(): boolean;
  release(): void;
}

/** Grows with the attempts, because many waiting processes would otherwise take the CPU time of the holder. */
const pause = (attempt: number): number => 1 + Math.random() * Math.min(100, 4 * 2 ** attempt);

/** Takes the lock, and blocks the process until then. */
export function lockNow(path: string, patience = 30_000): Held {
  const clock = new Int32Array(new SharedArrayBuffer(4));
  const end = Date.now() + patience;
  for (let attempt = 0; ; attempt++) {
    const held = tryLock(path);
    if (held) return held;
    if (Date.now() > end) throw stillLocked(path);
    Atomics.wait(clock, 0, 0, pause(attempt));
  }
}

/** Takes the lock, and waits for it without blocking the process. */
export async function lockSoon(path: string, patience = 8_000): Promise<Held> {
  const end = Date.now() + patience;
  for (let attempt = 0; ; attempt++) {
    const held = tryLock(path);
    if (held) return held;
    if (Date.now() > end) throw stillLocked(path);
    await sleep(pause(attempt));
  }
}

function tryLock(path: string): Held | undefined {
  const holder = holderOf(path);
  if (holder !== undefined) {
    if (isDead(holder)) breakLock(path, holder);
    return undefined;
  }
  const token = randomUUID();
  const mine = JSON.stringify({ pid, started: startOf(pid), host: hostOf(), token });
  const temporary = `${path}.${token}`;
  try {
    writeFileSync(temporary, mine, { flag: 'wx', mode: 0o600 });
    // `link` fails if the lock exists, like O_EXCL, and the lock never exists without its content.
    linkSync(temporary, path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') return undefined;
    throw new InputError(
      `the key file cannot be changed, because ${path} cannot be made (${code}): use a folder on a local disk in which this user can write`,
    );
  } finally {
    rmSync(temporary, { force: true });
  }
  const isHeld = (): boolean => holderOf(path) === mine;
  return {
    isHeld,
    release: () => {
      if (isHeld()) rmSync(path, { force: true });
    },
  };
}

function breakLock(path: string, holder: string): void {
  const breaker = tryLock(`${path}.break`);
  try {
    if (breaker && holderOf(path) === holder) rmSync(path, { force: true });
  } finally {
    breaker?.release();
  }
}

function holderOf(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

function isDead(holder: string): boolean {
  const { pid: other, started, host: theirs } = parsed(holder);
  if (typeof other !== 'number' || theirs !== hostOf()) return false;
  try {
    kill(other, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH';
  }
  const found = startOf(other);
  return found !== null && found !== started;
}

function parsed(holder: string): Partial<Record<'pid' | 'started' | 'host', unknown>> {
  return attempt(() => Object(JSON.parse(holder)) as object) ?? {};
}

/** When a process started, in ticks since the machine did, or null where only Linux would tell. */
function startOf(process: number): string | null {
  const stat = attempt(() => readFileSync(`/proc/${process}/stat`, 'utf8'));
  // The name of the program, in parentheses, can contain spaces and parentheses.
  const fields = stat?.slice(stat.lastIndexOf(')') + 2).split(' ');
  const isZombie = fields?.[0] === 'Z';
  return isZombie ? 'ended' : (fields?.[19] ?? null);
}

function stillLocked(path: string): InputError {
  const { pid: other, host: theirs } = parsed(attempt(() => readFileSync(path, 'utf8')) ?? '');
  return new InputError(
    `another process has locked the key file for too long (process ${String(other)} on ` +
      `${String(theirs)}): if it no longer runs, delete the file ${path}`,
  );
}
