// Where a root key comes from: a variable, a file, or a program that prints it.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { isAbsolute } from 'node:path';
import { CannotStart, reasonOf } from '../base/cannot-start.ts';
import { decodeRootKey, longestRootKeyText, readRootKeyFile } from './file.ts';
import { timeLimit } from '../base/time-limit.ts';

/** The environment variables that the program gets. They must not contain secrets of the server. */
export type ProviderEnvironment = Readonly<Record<string, string | undefined>>;

export interface RootKeyProvider {
  /** The caller must wipe the returned bytes. */
  load(): Promise<Uint8Array>;
}

export function rootKeyInVariable(variable: string, value: string): RootKeyProvider {
  const decode = (): Uint8Array => {
    const text = Uint8Array.from(value, (letter) => Math.min(letter.charCodeAt(0), 0xff));
    // A root key file may end with a newline, but the value of an environment variable may not.
    const key = value.endsWith('\n') ? undefined : decodeRootKey(text);
    text.fill(0);
    if (key) return key;
    throw new CannotStart(
      `${variable} must be exactly 32 bytes in base64 (44 characters). Make a root key with \`eaas root-key generate\`.`,
    );
  };
  decode().fill(0);
  return { load: async () => decode() };
}

export function rootKeyInFile(variable: string, path: string): RootKeyProvider {
  return {
    async load() {
      const key = await readRootKeyFile(path).catch((error: unknown) => {
        throw new CannotStart(`${variable}: ${reasonOf(error)}`);
      });
      if (key) return key;
      throw new CannotStart(
        `${variable}: the file ${path} does not exist. Restore the file from your copy. ` +
          `For a new database, make a root key with \`eaas root-key generate --file ${path}\`.`,
      );
    },
  };
}

export function rootKeyFromCommand(
  variable: string,
  path: string,
  env: ProviderEnvironment,
  milliseconds = timeLimit(10_000),
): RootKeyProvider {
  if (!isAbsolute(path)) {
    throw new CannotStart(`${variable} must be the absolute path of a program, without arguments.`);
  }
  const load = async (): Promise<Uint8Array> => {
    const fail = (what: string): CannotStart =>
      new CannotStart(
        `${variable}: ${what} (${path}). The program must print the root key and nothing else.`,
      );
    // The program that returns the root key runs in a separate process group, so that the server can end the program
    // together with its child processes.
    const child = spawn(path, [], { env, stdio: ['ignore', 'pipe', 'inherit'], detached: true });
    const text = new Uint8Array(longestRootKeyText + 1);
    let length = 0;
    child.stdout.on('data', (chunk: Buffer) => {
      text.set(chunk.subarray(0, text.length - length), length);
      length = Math.min(text.length, length + chunk.length);
      chunk.fill(0);
      if (length === text.length) endGroup(child);
    });
    let late = false;
    const timer = setTimeout(() => {
      late = true;
      endGroup(child);
    }, milliseconds);
    try {
      const [code, signal] = (await once(child, 'close').catch((error: NodeJS.ErrnoException) => {
        throw fail(`the program for the root key cannot be run (${error.code})`);
      })) as [number | null, string | null];
      if (late) throw fail(`the program for the root key did not end within ${milliseconds / 1000} s`);
      if (code !== 0 && length < text.length) {
        const how = code === null ? `signal ${signal}` : `exit code ${code}`;
        throw fail(`the program for the root key ended with ${how}`);
      }
      const key = decodeRootKey(text.subarray(0, length));
      if (!key) {
        throw fail('the program for the root key did not print exactly 32 bytes in base64 (44 characters)');
      }
      return key;
    } finally {
      clearTimeout(timer);
      text.fill(0);
    }
  };
  return { load };
}

function endGroup({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL');
  } catch {
    // The signal could not be sent, because the process has already ended.
  }
}
