import { execFile } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { launch } from '@eaas/test-kit/program';

const folder = fileURLToPath(new URL('../../../test/tools/moto/', import.meta.url));

export async function requireMoto(): Promise<string | undefined> {
  const environment = join(folder, '.venv');
  const command = join(environment, 'bin/moto_server');
  const note = join(environment, 'installed.txt');
  const wanted = readFileSync(join(folder, 'requirements.txt'), 'utf8');
  if (contentOf(note) === wanted) return command;
  const execute = promisify(execFile);
  try {
    rmSync(environment, { recursive: true, force: true });
    await execute('python3', ['-m', 'venv', environment]);
    const install = ['install', '--quiet', '--retries', '1', '--timeout', '15', '-r', 'requirements.txt'];
    await execute(join(environment, 'bin/pip'), install, { cwd: folder, timeout: 300_000 });
    writeFileSync(note, wanted);
    return command;
  } catch {
    return undefined;
  }
}

export interface Aws {
  readonly env: Readonly<Record<string, string>>;
  readonly kms: (action: string, input: object) => Promise<Record<string, unknown>>;
  readonly stop: () => void;
}

export async function startMoto(command: string): Promise<Aws> {
  const { child, stderr } = launch([command, '-H', '127.0.0.1', '-p', '0'], { PYTHONUNBUFFERED: '1' });
  for (const deadline = Date.now() + 120_000; ; await sleep(50)) {
    const [, url] = /Running on (http:\S+)/.exec(stderr()) ?? [];
    if (url !== undefined) return { env: environment(url), kms: caller(url), stop: () => void child.kill() };
    if (Date.now() > deadline || child.exitCode !== null) {
      child.kill();
      throw new Error(`moto did not start:\n${stderr()}`);
    }
  }
}

const environment = (url: string): Aws['env'] => ({
  AWS_ENDPOINT_URL_KMS: url,
  AWS_REGION: 'eu-central-1',
  AWS_ACCESS_KEY_ID: 'test',
  AWS_SECRET_ACCESS_KEY: 'secret-of-the-test',
});

// moto reads only the AWS region from the header `Authorization`, and does not check the signature.
const authorization =
  'AWS4-HMAC-SHA256 Credential=test/20260101/eu-central-1/kms/aws4_request, SignedHeaders=host, Signature=0';

function caller(url: string): Aws['kms'] {
  return async (action, input) => {
    const headers = {
      authorization,
      'content-type': 'application/x-amz-json-1.1',
      'x-amz-target': `TrentService.${action}`,
    };
    const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(input) });
    const text = await response.text();
    if (!response.ok) throw new Error(`${action} failed (${response.status}): ${text}`);
    return (text === '' ? {} : JSON.parse(text)) as Record<string, unknown>;
  };
}

function contentOf(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}
