// Writes the variables of `eaas dev` into an .env file, whose other lines stay, and warns if git could commit the API key.
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readFile, realpath, rm } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import {
  asWord,
  CannotStart,
  hostOf,
  ifExists,
  isLoopback,
  reasonOf,
  replaceFile,
} from '@eaas/server/internal';

export class EnvFile {
  readonly path: string;
  #text: string;

  private constructor(path: string, text: string) {
    this.path = path;
    this.#text = text;
  }

  static async read(path: string): Promise<EnvFile> {
    const text = await ifExists(readFile(path, 'utf8')).catch((error: unknown) => {
      throw new CannotStart(`The file ${path} cannot be read: ${reasonOf(error)}.`);
    });
    const file = new EnvFile(path, text ?? '');
    const address = file.get('EAAS_BASE_URL');
    if (address && !isOnThisMachine(address)) {
      throw new CannotStart(
        `The file ${path} contains the EAAS_BASE_URL and the API key of another service, and was not changed. ` +
          'Pass another file, as in --env .env.local.',
      );
    }
    return file;
  }

  get(name: string): string | undefined {
    return Array.from(this.#text.matchAll(lineOf(name)))
      .at(-1)?.[1]
      ?.replace(/^(["'])(.*)\1$/, '$2');
  }

  /** Writes the file by an atomic rename, so that an interrupted write loses no line of the old file. */
  async set(values: Readonly<Record<string, string>>): Promise<void> {
    for (const [name, value] of Object.entries(values)) {
      const line = `${name}=${value}`;
      if (this.get(name) !== undefined) this.#text = this.#text.replace(lineOf(name), () => line);
      else this.#text += `${this.#text === '' || this.#text.endsWith('\n') ? '' : '\n'}${line}\n`;
    }
    const target = await realpath(this.path).catch(() => this.path);
    const temporary = `${target}.${randomBytes(6).toString('hex')}`;
    await replaceFile(target, this.#text, temporary).catch(async (error: unknown) => {
      await rm(temporary, { force: true });
      throw new CannotStart(`The file ${this.path} cannot be written: ${reasonOf(error)}.`, { cause: error });
    });
  }
}

/** A warning if the file could get into a commit. Without git, or outside a repository, there is none. */
export async function commitWarning(path: string): Promise<string | undefined> {
  const file = await realpath(path);
  const asksGit = (...args: string[]) => gitCode(dirname(file), [...args, '--', basename(file)]);
  if ((await asksGit('check-ignore', '--quiet')) !== 1) return undefined;
  return (await asksGit('ls-files', '--error-unmatch')) === 0
    ? `git tracks ${path}, which has an API key now: add the file to .gitignore, and run \`git rm --cached ${asWord(path)}\`.`
    : `git does not ignore ${path}, which has an API key now: add the file to .gitignore.`;
}

/** The exit code of git, or undefined if it cannot run. */
function gitCode(folder: string, args: readonly string[]): Promise<number | undefined> {
  const options = { cwd: folder, timeout: 5_000 };
  return new Promise((resolve) => {
    execFile('git', ['-c', 'core.fsmonitor=false', ...args], options, (error) => {
      const code = error === null ? 0 : error.code;
      resolve(typeof code === 'number' ? code : undefined);
    });
  });
}

function lineOf(name: string): RegExp {
  return new RegExp(`^[ \\t]*(?:export[ \\t]+)?${name}[ \\t]*=[ \\t]*(.*?)[ \\t]*$`, 'gm');
}

function isOnThisMachine(address: string): boolean {
  return URL.canParse(address) && isLoopback(hostOf(new URL(address)));
}
