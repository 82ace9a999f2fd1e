// Runs the service in memory and the SDK in Node under OpenSSL's FIPS provider, configured as docs/nist.md says.
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { whereAvailable } from '@eaas/test-kit/available';
import { newDirectory } from '@eaas/test-kit/directory';
import { blocksOf, read, root } from '@eaas/test-kit/markdown';
import { expect, test } from 'vitest';
import { formatSealed, newSealed } from '../../packages/local/src/sealed.ts';

const folder = await newDirectory();
const program = ['--conditions=@eaas/source', '--import', 'tsx', join(root, 'test/docs/played-fips.ts')];
const EAAS_LOCAL = formatSealed(newSealed(Date.now()));

function run(args: readonly string[], env: NodeJS.ProcessEnv = {}): Record<string, unknown> {
  const options = { env: { ...process.env, EAAS_LOCAL, ...env }, encoding: 'utf8', stdio: 'pipe' } as const;
  return JSON.parse(execFileSync(process.execPath, args, options)) as Record<string, unknown>;
}

const opened = { old: 'old', value: 'value', stream: 'stream', search: true, intake: 'form', audit: true };
const plain = run(program);

test('if OpenSSL refuses an algorithm, nothing is encrypted or decrypted, and noble does not step in', () => {
  expect(plain).toMatchObject({ ...opened, mode: 0 });
  expect(plain['refused']).toEqual(Array.from({ length: 3 }, () => expect.stringMatching(/unsupported/)));
});

const { FIPS_MODULE: provider, OPENSSL: openssl = 'openssl' } = process.env;
whereAvailable('OpenSSL’s FIPS provider (FIPS_MODULE=path of fips.so)', provider !== undefined, () => {
  test('under the FIPS provider everything works, and opens what was encrypted without it', () => {
    const made = join(folder, 'fipsmodule.cnf');
    execFileSync(openssl, ['fipsinstall', '-module', provider ?? '', '-out', made], { stdio: 'ignore' });
    const [block = ''] = blocksOf(read('docs/nist.md'), 'ini');
    const OPENSSL_CONF = join(folder, 'openssl.cnf');
    writeFileSync(OPENSSL_CONF, block.replace('/etc/eaas/fipsmodule.cnf', made));
    const env = { OPENSSL_CONF, OPENSSL_MODULES: dirname(provider ?? '') };
    expect(run(['--force-fips', ...program, String(plain['stored'])], env)).toEqual({ ...opened, mode: 1 });
    const scrypt = "JSON.stringify(require('crypto').scryptSync('', '', 1))";
    expect(() => run(['--force-fips', '-p', scrypt], env)).toThrow('unsupported');
  });
});
