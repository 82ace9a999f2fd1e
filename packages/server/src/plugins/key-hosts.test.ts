import { selfSigned } from '@eaas/test-kit/certificate';
import { keyHost } from '@eaas/test-kit/key-host';
import { setTimeLimits } from '@eaas/test-kit/time-limits';
import { newSignIn } from '@eaas/test-kit/sign-in';
import { jwkOfBits } from '@eaas/test-kit/rsa';
import { expect, test } from 'vitest';
import { isPublic } from '../base/addresses.ts';
import { HostFailed } from '../base/ask-host.ts';
import { isKeyHost, KeyHosts, type Network } from './key-hosts.ts';

const { jwk } = newSignIn();
const keys = { keys: [jwk] };

test.each(['sign-in.example', 'SIGN-IN.example:8443', '*.sign-in.example', 'key_cloak:8080', '[::1]:9000'])(
  '%s allows a host',
  (entry) => {
    expect(isKeyHost(entry)).toBe(true);
  },
);

test.each([
  '',
  '*',
  '*.',
  '*.com',
  '*.sign-in.example:443',
  '*.10.0.0.7',
  'a.*.example',
  'a.example:65536',
  'https://a.example',
  'ann@a.example',
])('%j allows no host', (entry) => {
  expect(isKeyHost(entry)).toBe(false);
});

const hosts = new KeyHosts([
  '*.provider.example',
  'sign-in.example',
  'internal:8443',
  '127.0.0.1:9000',
  '[::1]:9000',
  'localhost:9000',
]);

test.each([
  'https://SIGN-IN.example:443/keys',
  'https://internal:8443/keys',
  'http://[::1]:9000/keys',
  'http://localhost:9000/keys',
])('keys are fetched from %s', (uri) => {
  expect(hosts.faultOf(uri)).toBeUndefined();
});

test.each([
  'https://sign-in.example:8443/keys',
  'https://sign-in.example./keys',
  'https://x.sign-in.example/keys',
  'https://provider.example/keys',
  'https://evilprovider.example/keys',
  'https://a.provider.example:8443/keys',
  'http://127.0.0.2:9000/keys',
])('%s names a host that is not allowed', (uri) => {
  expect(hosts.faultOf(uri)).toContain('EAAS_ISSUER_HOSTS');
});

test.each(['http://a.provider.example/keys', 'http://internal:8443/keys'])(
  '%s must begin with https',
  (uri) => {
    expect(hosts.faultOf(uri)).toBe('must begin with https: http is only for a loopback address');
  },
);

test('nothing is fetched from any host by default', async () => {
  const host = await keyHost(keys);
  await expect(new KeyHosts([]).fetch(host.uri)).rejects.toThrow('EAAS_ISSUER_HOSTS');
  expect(host.count).toBe(0);
});

const notPublic =
  '0.0.0.0 10.1.2.3 100.64.0.1 127.0.0.1 169.254.169.254 172.31.0.1 192.168.0.1 192.0.0.8 192.0.2.1 192.88.99.1 ' +
  '198.19.0.1 198.51.100.1 203.0.113.1 224.0.0.1 255.255.255.255 :: ::1 fe80::1 fc00::1 ff02::1 ::ffff:10.0.0.1 ' +
  '64:ff9b::a00:1 2001:db8::1 2001::1 2002:a00:1::1 3fff::1 sign-in.example';

test.each(['', ...notPublic.split(' ')])('%j is no public address', (address) => {
  expect(isPublic(address)).toBe(false);
});

test.each(['1.1.1.1', '172.32.0.1', '192.0.1.1', '223.255.255.255', '2606:4700::1111', '2a00:1450::1'])(
  '%s is a public address',
  (address) => {
    expect(isPublic(address)).toBe(true);
  },
);

test('only public keys that can verify tokens are kept', async () => {
  const others = [
    { kty: 'AKP', pub: 'AAAA' },
    jwkOfBits(1_024),
    'text',
    { ...jwk, x5c: ['AAAA'], use: 'sig' },
  ];
  const host = await keyHost({ keys: [jwk, ...others], more: 1 });
  const jwks = JSON.parse(await new KeyHosts([host.host]).fetch(host.uri)) as { keys: object[] };
  expect(jwks.keys).toEqual([jwk, { ...jwk, use: 'sig' }]);
});

test('a body of 64 KiB gives keys', async () => {
  const host = await keyHost((_, response) => response.end(JSON.stringify(keys).padEnd(65_536)));
  await expect(new KeyHosts([host.host]).fetch(host.uri)).resolves.toContain(jwk.kty);
});

const inside = await keyHost(keys);

test.each<[string, Parameters<typeof keyHost>[0], RegExp]>([
  ['a host that never responds', () => {}, /took more than 0.1 s/],
  [
    'a host that sends a byte from time to time',
    (_, response) => {
      const timer = setInterval(() => response.write(' '), 100);
      response.on('close', () => clearInterval(timer));
    },
    /took more than 0.1 s/,
  ],
  [
    'a body that is cut',
    (_, response) => {
      response.writeHead(200, { 'content-length': '1000' });
      response.write(JSON.stringify(keys), () => response.destroy());
    },
    /cannot be reached|ended/,
  ],
  ['a body of more than 64 KiB', (_, response) => response.end(' '.repeat(65_537)), /more than 65536 bytes/],
  [
    'a redirect to this machine',
    (_, response) => response.writeHead(302, { location: inside.uri }).end(JSON.stringify(keys)),
    /the status 302/,
  ],
  ['a single key', jwk, /no usable key set: no JSON Web Key Set/],
  ['a private key', { keys: [jwk, { ...jwk, d: 'AAAA' }] }, /a private or symmetric key/],
])('%s gives no keys', async (_, answer, reason) => {
  const hasTime = !reason.source.includes('took more');
  setTimeLimits(hasTime ? 20 : 0.05);
  const host = await keyHost(answer);
  const fetching = new KeyHosts([host.host]).fetch(host.uri);
  await expect(fetching).rejects.toThrow(HostFailed);
  await expect(fetching).rejects.toThrow(reason);
  await expect(fetching).rejects.not.toThrow('AAAA');
  // A busy machine can take longer to connect than the shortest limit.
  expect(host.count).toBeLessThanOrEqual(1);
  expect(hasTime && host.count === 0).toBe(false);
  expect(inside.count).toBe(0);
});

const at = (address: string) => [{ address, family: 4 }];

test('localhost must be a loopback address for http', async () => {
  const lookUp: Network['lookUp'] = async () => at('10.0.0.1');
  const allowed = new KeyHosts(['localhost:9000'], { lookUp, resolve: lookUp, isPublic });
  await expect(allowed.fetch('http://localhost:9000/keys')).rejects.toThrow('another address than loopback');
});

test.each([
  ['no address', []],
  ['a private address', at('127.0.0.1')],
  ['a public and a private address', [...at('1.1.1.1'), ...at('127.0.0.1')]],
])('a host of a wildcard with %s is not connected to', async (_, addresses) => {
  const host = await keyHost(keys, { tls: selfSigned() });
  const network = { lookUp: async () => at('127.0.0.1'), resolve: async () => addresses, isPublic };
  const allowed = new KeyHosts(['*.provider.example'], network);
  await expect(allowed.fetch('https://a.provider.example/keys')).rejects.toThrow('not public');
  expect(host.count).toBe(0);
});

test('the address that was judged is the one connected to, although the name has another one a moment later', async () => {
  const tls = selfSigned();
  const judged = await keyHost(keys, { address: '127.0.0.2', tls });
  const port = Number(judged.host.split(':')[1]);
  const other = await keyHost(keys, { address: '127.0.0.3', tls, port });
  const answers = ['127.0.0.2', '127.0.0.3'];
  const lookUp: Network['lookUp'] = async () => at(answers.shift() ?? '');
  const network = { lookUp, resolve: lookUp, isPublic, ca: tls.certificate };
  const allowed = new KeyHosts([`localhost:${port}`], network);
  expect(JSON.parse(await allowed.fetch(`https://localhost:${port}/keys`))).toEqual(keys);
  expect([judged.count, other.count, answers]).toEqual([1, 0, ['127.0.0.3']]);
});

test('a host with a certificate of nobody gives no keys', async () => {
  const host = await keyHost(keys, { tls: selfSigned() });
  await expect(new KeyHosts([host.host]).fetch(host.uri)).rejects.toThrow('DEPTH_ZERO_SELF_SIGNED_CERT');
  expect(host.count).toBe(0);
});
