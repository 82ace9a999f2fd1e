// Names the output of each input before any work begins, so that two outputs that clash, or an existing file, change nothing.
import { lstat, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { WrongUsage } from './kit.ts';
import { inLine } from '@eaas/protocol/internal';
import { FileFailure } from './failure.ts';
import { type Input, standard } from './inputs.ts';
import { noteLeftovers } from './leftovers.ts';

export interface Job {
  readonly input: Input;
  readonly output: string;
}

export interface OutputOptions {
  readonly out: string | undefined;
  readonly force: boolean;
  readonly rename: (name: string) => string;
}

export async function planOutputs(
  inputs: readonly Input[],
  { out, force, rename }: OutputOptions,
): Promise<Job[]> {
  const choose = await chooser(inputs, out, rename);
  const jobs = inputs.map((input) => ({ input, output: choose(input) }));
  const seen = new Map<string, Input>();
  for (const { input, output } of jobs) {
    const other = seen.get(output);
    if (other) {
      const both = `${inLine(other.path)} and ${inLine(input.path)}`;
      throw new WrongUsage(
        `${both} would have the same output file ${inLine(output)}: run a separate command for each file.`,
      );
    }
    seen.set(output, input);
  }
  await requireWritable(
    jobs.map(({ output }) => output),
    force,
  );
  return jobs;
}

async function chooser(
  inputs: readonly Input[],
  out: string | undefined,
  rename: OutputOptions['rename'],
): Promise<(input: Input) => string> {
  const isMany = inputs.length !== 1 || inputs.some(({ isInFolder }) => isInFolder);
  if (out === standard) {
    if (isMany) {
      throw new WrongUsage('`--out -` can write only one file to standard output: pass exactly one file.');
    }
    return () => standard;
  }
  if (out === undefined) {
    return ({ path }) => (path === standard ? standard : rename(path));
  }
  const stats = await stat(out).catch(() => undefined);
  if (isMany && stats && !stats.isDirectory()) {
    throw new WrongUsage(
      `--out must be a folder if there are several input files (got the file ${inLine(out)}).`,
    );
  }
  if (!isMany && !stats?.isDirectory() && !/[\\/]$/.test(out)) return () => out;
  if (inputs.some(({ path }) => path === standard)) {
    throw new WrongUsage('--out must be a file if the input is standard input (got a folder).');
  }
  return ({ relative }) => join(out, rename(relative));
}

export async function requireWritable(paths: readonly string[], force: boolean): Promise<void> {
  const files = paths.filter((path) => path !== standard);
  await noteLeftovers(new Set(files.map((path) => dirname(path))));
  const existing: string[] = [];
  for (const path of files) {
    if (!(await exists(path))) continue;
    const stats = await stat(path).catch(() => undefined);
    // Refuses a device or a pipe such as /dev/null, because the rename of the temporary file would replace it.
    if (stats && !stats.isFile()) {
      throw new FileFailure(
        `${inLine(path)} is not a file: pass \`--out -\` for standard output, or choose another --out.`,
      );
    }
    existing.push(path);
  }
  const [first, ...others] = existing;
  if (first === undefined || force) return;
  const more = others.length === 0 ? '' : ` (and ${others.length} more)`;
  throw new FileFailure(
    `${inLine(first)} exists${more}: add --force to overwrite it, or choose another --out.`,
  );
}

export function exists(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  );
}
