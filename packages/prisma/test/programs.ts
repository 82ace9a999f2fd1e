// Code of our pages, which compiles and runs beside a generated client.
import { execFile } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import postgres from 'postgres';
import { createDatabase } from '@eaas/test-kit/database';
import { root } from '@eaas/test-kit/markdown';
import { folderOf, generateClient, type Major } from './generated-client.ts';

const tsconfig = {
  extends: join(root, 'tsconfig.json'),
  compilerOptions: { noPropertyAccessFromIndexSignature: false },
  include: ['*.mts'],
  exclude: ['**/node_modules'],
};

/** Returns the lines that code prints, as the comments behind its calls of `console.log` say. */
export function saidBy(code: string): string[] {
  return Array.from(code.matchAll(/console\.log\(.*\); \/\/ (.*)$/gm), ([, output]) => `${output}\n`);
}

export type Programs = Awaited<ReturnType<typeof openPrograms>>;

/** Writes files beside a client for `models`, with a database whose address is JSON in the variable `DATABASE`. */
export async function openPrograms(
  major: Major,
  name: string,
  models: string,
  files: Readonly<Record<string, string>>,
) {
  const folder = folderOf(major, name);
  await generateClient(major, folder, models);
  for (const [file, code] of Object.entries(files)) writeFileSync(join(folder, file), code);
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(tsconfig));
  const { connection, drop } = await createDatabase();
  const { host, port, database, username: user } = connection('owner');
  const sql = postgres({ ...connection('owner'), max: 1 });
  function run(args: readonly string[], more: NodeJS.ProcessEnv = {}): Promise<string> {
    const env = { ...process.env, DATABASE: JSON.stringify({ host, port, database, user }), ...more };
    return new Promise((resolve) => {
      execFile(process.execPath, args, { cwd: folder, env }, (_, stdout, stderr) => resolve(stdout + stderr));
    });
  }
  const options = ['--no-deprecation', '--conditions=@eaas/source', '--import', 'tsx'];
  return {
    folder,
    sql,
    compile: () => run([join(root, 'node_modules/typescript/bin/tsc'), '-p', '.']),
    run: (file: string, env?: NodeJS.ProcessEnv) => run([...options, file], env),
    close: async () => {
      await sql.end();
      await drop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
