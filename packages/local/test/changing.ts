// A process that uses a key file: `changing.js <file> <order>`. It prints a line of JSON after each call that succeeded,
// and before it kills itself.
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

const [file = '', order = '', ...more] = process.argv.slice(2);

/** Kills this process before its call number `at` of a function that changes files, or in the middle of a write. */
function killAt(at: number): void {
  let calls = 0;
  const names = [
    'writeFileSync',
    'openSync',
    'fsyncSync',
    'renameSync',
    'linkSync',
    'rmSync',
    'closeSync',
    'mkdirSync',
  ];
  for (const name of names) {
    const original = Reflect.get(fs, name) as (...args: unknown[]) => unknown;
    Reflect.set(fs, name, (...args: unknown[]) => {
      // Module loading also uses the file system, but never these paths.
      if (String(args[0]).startsWith(file.slice(0, file.lastIndexOf('/'))) || typeof args[0] === 'number') {
        if (++calls === at) die(name);
        if (name === 'writeFileSync' && ++calls === at) {
          const [place, text, ...others] = args;
          original(place, String(text).slice(0, String(text).length / 2), ...others);
          die('the other half of a write');
        }
      }
      return original(...args);
    });
  }
  syncBuiltinESMExports();
}

function die(before: string): void {
  fs.writeSync(1, `${JSON.stringify({ died: before })}\n`);
  process.kill(process.pid, 'SIGKILL');
}

if (order.startsWith('killed')) killAt(Number(more[0]));
if (order === 'killed at a lock') {
  const { lockKeyFile } = await import('@eaas/local/internal');
  await lockKeyFile(file);
  process.exit();
}
const { createLocalService } = await import('@eaas/local');
const service = createLocalService({ file });

async function ask(route: string, body: object = {}): Promise<Record<string, unknown>> {
  const headers = { authorization: `Bearer ${service.apiKey}`, 'content-type': 'application/json' };
  for (;;) {
    const request = { method: 'POST', headers, body: JSON.stringify(body) };
    const response = await service.fetch(`${service.baseUrl}/v1/keys/${route}`, request);
    const answer = (await response.json()) as Record<string, unknown>;
    if (response.ok) return answer;
    if (answer['code'] !== 'unavailable') throw new Error(String(answer['detail']));
  }
}

const tell = (line: object) => void fs.writeSync(1, `${JSON.stringify(line)}\n`);
const dek = Buffer.alloc(32, 7).toString('base64');

/** With many processes, the wait for the lock can be too long. Nothing is done then, so the call is repeated. */
async function createKey(name: string) {
  for (;;) {
    const made = await service.createKey(name).catch((error: { code?: string }) => {
      if (error.code !== 'unavailable') throw error;
    });
    if (made) return made;
  }
}

async function changeOnce(name: string): Promise<void> {
  const { key_id } = await createKey(name);
  for (const subject of [undefined, name, 'shared']) {
    const { wrapped_key } = await ask(`${key_id}/wrap`, { dek, subject });
    tell({ key_id, wrapped_key, subject });
  }
  tell({ rotated: (await ask(`${service.keyId}/rotate`))['key_version'] });
}

await createKey('shared');
await changeOnce(`key of ${process.pid}`);
