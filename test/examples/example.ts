import { once } from 'node:events';
import { EaasClient } from '@eaas/sdk';
import { createIndexKey } from '@eaas/sdk/fields';
import { type Environment, launch, run } from '@eaas/test-kit/program';
import { root } from '@eaas/test-kit/markdown';
import { createDatabase } from '@eaas/test-kit/database';
import { openWorld, settle } from '@eaas/test-kit/world';
import { expect, onTestFinished } from 'vitest';

export async function openSurroundings() {
  const world = await openWorld(new Date().toISOString());
  const replica = world.replica();
  const baseUrl = await world.serve(replica);
  const { token } = await settle(replica, 'dev');
  await using admin = new EaasClient({ baseUrl, apiKey: token });
  const { key_id: keyId } = await admin.keys.create({ name: 'app' });
  const database = await createDatabase();
  const { host, port, database: name, username } = database.connection('owner');
  const env: Environment = {
    EAAS_BASE_URL: baseUrl,
    EAAS_API_KEY: token,
    EAAS_KEY_ID: keyId,
    EAAS_INDEX_KEY: await createIndexKey(admin, { keyId }),
    // This URL has only a scheme, so the PostgreSQL client of the examples uses the four `PG…` variables.
    DATABASE_URL: 'postgres://',
    PGHOST: host,
    PGPORT: String(port),
    PGDATABASE: name,
    PGUSERNAME: username,
  };
  return {
    env,
    database,
    /** Runs a program of an example to its end, without an error, and returns what it prints. */
    node: async (file: string, ...args: string[]): Promise<string> => {
      const finished = await run([process.execPath, `examples/${file}`, ...args], env, { cwd: root });
      expect(finished).toMatchObject({ code: 0, stderr: '' });
      return finished.stdout;
    },
    start: async (file: string, more: Environment, ...args: string[]) => {
      // A sign-in of the example makes tokens by the clock of the machine.
      world.time = Date.now();
      const command = [process.execPath, `examples/${file}`, ...args];
      const { child, stdout, stderr } = launch(command, { ...env, ...more });
      while (!/http:\S+/.test(stdout())) {
        await Promise.race([once(child.stdout, 'data'), once(child, 'exit')]);
        if (child.exitCode !== null) throw new Error(`the example ended: ${stderr()}`);
      }
      const [url = ''] = /http:\S+/.exec(stdout()) ?? [];
      onTestFinished(async () => {
        const ended = once(child, 'exit');
        child.kill();
        await ended;
      });
      return { url, stderr };
    },
    close: async (): Promise<void> => {
      await database.drop();
      await world.close();
    },
  };
}
