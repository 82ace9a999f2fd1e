import { expect, it } from 'vitest';
import { canonicalIp } from './visit.ts';
import { listen } from './testing/listen.ts';

it.each([
  ['::FFFF:c000:0201', '192.0.2.1'],
  ['2001:db8::ffff:c000:201', '2001:db8::ffff:c000:201'],
  ['fe80::1%eth0', 'fe80::1'],
  ['192.0.2.1:4711', '192.0.2.1'],
  ['[2001:db8::1]:x', null],
  ['01.2.3.4', null],
  [undefined, null],
])('the IP address %s is written as %s', (text, canonical) => {
  expect(canonicalIp(text)).toBe(canonical);
});

const forwarded = async (trustProxy: readonly string[] | undefined, header: string) => {
  const { fetch, service } = await listen(undefined, trustProxy ? { trustProxy } : {});
  await fetch('/v1/keys', { headers: { 'x-forwarded-for': header } });
  return service.arrivals[0]?.ipAddress;
};

it('only the part of X-Forwarded-For that trusted proxies wrote is used', async () => {
  expect(await forwarded(undefined, '203.0.113.7')).toBe('127.0.0.1');
  expect(await forwarded(['10.0.0.0/8'], '203.0.113.7')).toBe('127.0.0.1');
  expect(await forwarded(['127.0.0.1'], '203.0.113.7')).toBe('203.0.113.7');
  expect(await forwarded(['127.0.0.1'], '198.51.100.1, 203.0.113.7')).toBe('203.0.113.7');
  expect(await forwarded(['127.0.0.1', '203.0.113.7'], '2001:DB8::0:1, 203.0.113.7')).toBe('2001:db8::1');
  expect(await forwarded(['127.0.0.1'], 'garbage')).toBe(null);
});

it('the server sends Strict-Transport-Security only over TLS', async () => {
  const { fetch } = await listen(undefined, { trustProxy: ['127.0.0.1'] });
  const secure = await fetch('/v1/keys', { headers: { 'x-forwarded-proto': 'https' } });
  expect(secure.headers.get('strict-transport-security')).toBe('max-age=31536000');
  expect((await fetch('/v1/keys')).headers.get('strict-transport-security')).toBeNull();
});
