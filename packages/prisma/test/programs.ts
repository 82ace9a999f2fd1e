// Code of our pages, which compiles and runs beside a generated client.
import { createDatabase } from '@eaas/test-kit/database';
import { savePageCode } from '@eaas/test-kit/page-code';
import postgres from 'postgres';
import { folderOf, generateClient, type Major } from './generated-client.ts';

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
  const { compile, run, remove } = savePageCode(folder, files);
  const { connection, drop } = await createDatabase();
  const { host, port, database, username: user } = connection('owner');
  const DATABASE = JSON.stringify({ host, port, database, user });
  const sql = postgres({ ...connection('owner'), max: 1 });
  return {
    folder,
    sql,
    compile,
    run: (file: string, env?: NodeJS.ProcessEnv) => run(file, { DATABASE, ...env }),
    close: async () => {
      await sql.end();
      await drop();
      remove();
    },
  };
}
