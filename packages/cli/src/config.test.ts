import { CannotStart, databaseOf } from '@eaas/server/internal';
import { newDirectory } from '@eaas/test-kit/directory';
import { expect, test, vi } from 'vitest';
import { readConfig, readDevelopmentConfig, variables } from './config.ts';

// Whoever tried `npm start` has data of the service in the folder of the clone, which a DATABASE_URL would be judged by.
vi.spyOn(process, 'cwd').mockReturnValue(await newDirectory());

const key = Buffer.alloc(32, 1).toString('base64');
const otherKey = Buffer.alloc(32, 2).toString('base64');
const url = 'postgres://server:hunter2@db.example:5432/eaas?sslmode=require';

function refusal(env: Record<string, string>): string {
  try {
    readConfig(env);
  } catch (error) {
    if (error instanceof CannotStart) return error.message;
    throw error;
  }
  return 'it was accepted';
}

test('an empty environment selects the embedded database and a loopback address, and trusts nobody', () => {
  expect(readConfig({})).toMatchObject({
    databaseUrl: null,
    rootKey: null,
    host: '127.0.0.1',
    isPortSet: false,
    trustProxy: null,
    issuerHosts: [],
    schemaAllow: [],
    stateDirectory: null,
    publicLog: null,
    console: false,
    playground: false,
    warnings: [],
  });
});

test('the configuration of the server contains the value of every environment variable', () => {
  const config = readConfig({
    EAAS_DATABASE_URL: url,
    EAAS_MIGRATE_DATABASE_URL: 'postgresql://owner@db.example/eaas',
    EAAS_DATA_DIR: '/var/lib/eaas',
    EAAS_HOST: '0.0.0.0',
    EAAS_PORT: '443',
    EAAS_TRUST_PROXY: '10.0.0.0/8, 192.0.2.7,fd00::/8,loopback',
    EAAS_TLS_CERT_FILE: 'cert.pem',
    EAAS_TLS_KEY_FILE: 'key.pem',
    EAAS_AUDIT_RETENTION_MONTHS: '12',
    EAAS_DRAIN_SECONDS: '20',
    EAAS_ISSUER_HOSTS: 'sign-in.example:8443, *.provider.example',
    EAAS_SCHEMA_ALLOW: 'replicate, audit.keys_log',
    EAAS_STATE_DIR: '/var/lib/eaas-state',
    EAAS_LOG_POLICY_FILE: '/etc/eaas/log.policy',
    EAAS_LOG_INTERVAL: '10',
    EAAS_LOG_MONITORS: 'one=https://witness.example/one, two=https://two.example',
    EAAS_LOG_LEVEL: 'warn',
  });
  const monitors = { one: 'https://witness.example/one', two: 'https://two.example' };
  expect(config).toMatchObject({
    databaseUrl: url,
    migrateDatabaseUrl: 'postgresql://owner@db.example/eaas',
    dataDirectory: '/var/lib/eaas',
    host: '0.0.0.0',
    port: 443,
    trustProxy: ['10.0.0.0/8', '192.0.2.7', 'fd00::/8', 'loopback'],
    tlsFiles: { cert: 'cert.pem', key: 'key.pem' },
    auditRetentionMonths: 12,
    drainSeconds: 20,
    issuerHosts: ['sign-in.example:8443', '*.provider.example'],
    schemaAllow: ['replicate', 'audit.keys_log'],
    stateDirectory: '/var/lib/eaas-state',
    publicLog: {
      policyFile: '/etc/eaas/log.policy',
      interval: 10,
      monitors: new Map(Object.entries(monitors)),
    },
    logLevel: 'warn',
    warnings: [],
  });
});

test('a root key in an environment variable is decoded from base64', async () => {
  const { rootKey, previousRootKey } = readConfig({ EAAS_ROOT_KEY: key, EAAS_ROOT_KEY_PREVIOUS: otherKey });
  expect(await rootKey?.load()).toEqual(new Uint8Array(32).fill(1));
  expect(await previousRootKey?.load()).toEqual(new Uint8Array(32).fill(2));
});

test.each<[string, Record<string, string>]>([
  ['EAAS_DATABASE_URL', { EAAS_DATABASE_URL: 'host=db password=hunter2' }],
  ['EAAS_DATABASE_URL', { EAAS_DATABASE_URL: 'postgres://server:hunter2%@db/eaas' }],
  ['EAAS_DATABASE_URL must have exactly one host', { EAAS_DATABASE_URL: 'postgres://server@a,b:5432/eaas' }],
  ['EAAS_DATABASE_URL must have exactly one host', { EAAS_DATABASE_URL: 'postgres://server@a%2Cb/eaas' }],
  ['EAAS_DATABASE_URL must be one of disable', { EAAS_DATABASE_URL: 'postgres://db/a?sslmode=verify_full' }],
  ['EAAS_MIGRATE_DATABASE_URL', { EAAS_DATABASE_URL: url, EAAS_MIGRATE_DATABASE_URL: 'hunter2' }],
  ['EAAS_MIGRATE_DATABASE_URL', { EAAS_MIGRATE_DATABASE_URL: url }],
  ['EAAS_ROOT_KEY', { EAAS_ROOT_KEY: 'hunter2' }],
  ['EAAS_ROOT_KEY', { EAAS_ROOT_KEY: Buffer.alloc(31).toString('base64') }],
  ['EAAS_ROOT_KEY_PREVIOUS', { EAAS_ROOT_KEY: key, EAAS_ROOT_KEY_PREVIOUS: key }],
  ['EAAS_ROOT_KEY_FILE', { EAAS_ROOT_KEY: key, EAAS_ROOT_KEY_FILE: 'root.key' }],
  ['EAAS_ROOT_KEY_COMMAND', { EAAS_ROOT_KEY_FILE: 'root.key', EAAS_ROOT_KEY_COMMAND: '/bin/print-key' }],
  ['EAAS_ROOT_KEY_COMMAND', { EAAS_ROOT_KEY_COMMAND: 'print-key' }],
  ['EAAS_ROOT_KEY_PREVIOUS_FILE', { EAAS_ROOT_KEY_FILE: 'a.key', EAAS_ROOT_KEY_PREVIOUS_FILE: 'a.key' }],
  ['EAAS_HOST', { EAAS_HOST: '0.0.0.0:80' }],
  ['EAAS_PORT', { EAAS_PORT: '65536' }],
  ['EAAS_PORT .*enableServiceLinks: false', { EAAS_PORT: 'tcp://10.96.0.1:8080' }],
  ['EAAS_TRUST_PROXY', { EAAS_TRUST_PROXY: 'true' }],
  ['EAAS_TRUST_PROXY', { EAAS_TRUST_PROXY: '0.0.0.0/0' }],
  ['EAAS_TRUST_PROXY', { EAAS_TRUST_PROXY: '10.0.0.1,' }],
  ['EAAS_ISSUER_HOSTS', { EAAS_ISSUER_HOSTS: '*' }],
  ['EAAS_SCHEMA_ALLOW', { EAAS_SCHEMA_ALLOW: 'one,,two' }],
  ['EAAS_LOG_INTERVAL', { EAAS_LOG_INTERVAL: '9' }],
  ['EAAS_LOG_MONITORS', { EAAS_LOG_MONITORS: 'one=witness' }],
  ['EAAS_INSECURE_HTTP', { EAAS_INSECURE_HTTP: 'true' }],
  ['EAAS_TLS_KEY_FILE', { EAAS_TLS_CERT_FILE: 'cert.pem' }],
  ['EAAS_AUDIT_RETENTION_MONTHS', { EAAS_AUDIT_RETENTION_MONTHS: '1.5' }],
  ['EAAS_LOG_LEVEL', { EAAS_LOG_LEVEL: 'verbose' }],
  ['EAAS_PUBLIC_URL must be an origin', { EAAS_PUBLIC_URL: 'https://eaas.example/' }],
  ['EAAS_PUBLIC_URL must be an origin', { EAAS_PUBLIC_URL: 'https://me@eaas.example' }],
  ['EAAS_PUBLIC_URL must be an origin', { EAAS_PUBLIC_URL: 'http://eaas.example' }],
  ['EAAS_PLAYGROUND=1 needs the console', { EAAS_PLAYGROUND: '1' }],
])('the start stops with an error without secrets that says %s: %j', (said, env) => {
  const sentence = refusal(env);
  expect(sentence).toMatch(new RegExp(`\\b${said}\\b.*\\.$`));
  const values = [env['EAAS_ROOT_KEY'], env['EAAS_ROOT_KEY_PREVIOUS'], 'hunter2'];
  expect(values.filter((value) => value && sentence.includes(value.trim()))).toEqual([]);
});

test.each(variables)('an empty environment variable %s is refused', (variable) => {
  expect(refusal({ [variable]: '' })).toBe(`${variable} is empty: give it a value or remove it.`);
});

test.each(['127.1.2.3', '[::1]', 'localhost'])('a server that listens on %s can use plain HTTP', (host) => {
  expect(readConfig({ EAAS_HOST: host }).host).toBe(host.replace(/[[\]]/g, ''));
});

test.each(['0.0.0.0', '::', '127.0.0.1.example'])(
  'a server that listens on %s needs TLS, a proxy or EAAS_INSECURE_HTTP=1',
  (EAAS_HOST) => {
    expect(refusal({ EAAS_HOST, EAAS_INSECURE_HTTP: '0' })).toContain(
      `With EAAS_HOST=${EAAS_HOST}, the server would send secrets over the network`,
    );
    expect(readConfig({ EAAS_HOST, EAAS_INSECURE_HTTP: '1' }).unencrypted).toBe(true);
    expect(readConfig({ EAAS_HOST, EAAS_TRUST_PROXY: '10.0.0.1' }).unencrypted).toBe(false);
    const tls = { EAAS_TLS_CERT_FILE: 'cert.pem', EAAS_TLS_KEY_FILE: 'key.pem' };
    expect(readConfig({ EAAS_HOST, ...tls }).unencrypted).toBe(false);
  },
);

test('an unknown EAAS_ variable is reported', () => {
  expect(readConfig({ EAAS_AUDIT_RETENTION: '12', PATH: '/bin' }).warnings).toEqual([
    'EAAS_AUDIT_RETENTION is not a variable of this program and is ignored. ' +
      'Did you mean EAAS_AUDIT_RETENTION_MONTHS?',
  ]);
  expect(readConfig({ EAAS_PROT: '80' }).warnings[0]).toMatch(/ignored\. Did you mean EAAS_PORT\?$/);
  expect(readConfig({ EAAS_NOTHING_LIKE_A_KNOWN_NAME: '1' }).warnings[0]).toMatch(/Check the spelling\.$/);
});

test.each(['EAAS_API_KEY', 'EAAS_LOCAL_PASSPHRASE'])(
  'the server does not report the variable %s of apps as unknown',
  (name) => {
    expect(readConfig({ [name]: 'anything' }).warnings).toEqual([]);
  },
);

test('a comma in the password of a database URL is not a second host', () => {
  const databaseUrl = 'postgres://server:a,b@database/eaas';
  expect(readConfig({ EAAS_DATABASE_URL: databaseUrl })).toMatchObject({ databaseUrl });
});

test('the console needs a public URL unless the server listens on localhost, 127.0.0.1 or ::1', () => {
  for (const host of ['localhost', '127.0.0.1', '[::1]']) {
    expect(readConfig({ EAAS_CONSOLE: '1', EAAS_HOST: host })).toMatchObject({ console: true });
  }
  for (const env of [{ EAAS_HOST: '127.0.0.2' }, { EAAS_HOST: '0.0.0.0', EAAS_TRUST_PROXY: '10.0.0.1' }]) {
    expect(() => readConfig({ EAAS_CONSOLE: '1', ...env })).toThrow('The console needs EAAS_PUBLIC_URL');
    expect(readConfig({ ...env })).toMatchObject({ console: false });
    const publicUrl = 'https://eaas.example';
    const named = readConfig({ EAAS_CONSOLE: '1', ...env, EAAS_PUBLIC_URL: publicUrl });
    expect(named).toMatchObject({ console: true, publicUrl });
  }
});

test('by default, `eaas dev` serves the console and the playground, logs only warnings, and ends at once', () => {
  const common = { console: true, playground: true, logLevel: 'warn', isPortSet: false, drainSeconds: 0 };
  expect(readDevelopmentConfig({})).toMatchObject(common);
  expect(readDevelopmentConfig({ EAAS_PLAYGROUND: '0' })).toMatchObject({ console: true, playground: false });
  const env = { EAAS_CONSOLE: '0', EAAS_LOG_LEVEL: 'debug', EAAS_PORT: '8081' };
  const changed = { console: false, playground: false, logLevel: 'debug', isPortSet: true };
  expect(readDevelopmentConfig(env)).toMatchObject(changed);
});

test.each([
  ['NODE_ENV', 'production', 'NODE_ENV is production'],
  ['EAAS_DATABASE_URL', 'postgres://server@db/eaas', 'EAAS_DATABASE_URL is set'],
  ['EAAS_DATABASE_URL', '', 'EAAS_DATABASE_URL is set'],
  ['EAAS_HOST', '0.0.0.0', 'EAAS_HOST is 0.0.0.0'],
])('development refuses %s=%s', (name, value, reason) => {
  expect(() => readDevelopmentConfig({ [name]: value })).toThrow(`\`eaas dev\` does not start: ${reason}`);
});

test('a DATABASE_URL counts only if no variable of the service says where the data is', () => {
  const app = 'postgres://app:hunter2@db.example/shop';
  expect(readConfig({ DATABASE_URL: app })).toMatchObject({ databaseUrl: app, urlVariable: 'DATABASE_URL' });
  const ours = { urlVariable: 'EAAS_DATABASE_URL' };
  expect(readConfig({ DATABASE_URL: app, EAAS_DATABASE_URL: url })).toMatchObject({
    databaseUrl: url,
    ...ours,
  });
  expect(readConfig({ DATABASE_URL: app, EAAS_DATA_DIR: '.eaas' })).toMatchObject({
    databaseUrl: null,
    ...ours,
  });
  expect(readDevelopmentConfig({ DATABASE_URL: app })).toMatchObject({ databaseUrl: null, ...ours });
  expect(readDevelopmentConfig({ DATABASE_URL: 'mysql://db/shop' })).toMatchObject({ databaseUrl: null });
  expect(refusal({ DATABASE_URL: app, EAAS_MIGRATE_DATABASE_URL: url })).toBe('it was accepted');
});

test.each([
  ['postgres://app:hunter2@db.example:5433/shop?sslmode=require', 'the database "shop" on db.example:5433'],
  ['mysql://app:hunter2@db.example/my%20shop', 'the database "my shop" on db.example'],
  ['postgres://app:hunter2@db.example/', 'a database'],
  ['postgres://app:12?hunter2@db.example/shop', 'a database'],
  ['hunter2', 'a database'],
])('in messages, %s is %s', (text, named) => {
  expect(databaseOf(text)).toBe(named);
});
