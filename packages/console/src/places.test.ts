import { expect, test } from 'vitest';
import { addressOf, type View, placeOf } from './places.ts';

const keyId = '6f2c1c1e-9d1b-4c55-8e0e-2f1a5d0a7b11';
const at = (address: string): View => placeOf(new URL(address, 'http://127.0.0.1:8080'));

test.each<View>([
  { page: 'playground' },
  { page: 'keys' },
  { page: 'key', keyId },
  { page: 'api-keys' },
  { page: 'sign-ins' },
  { page: 'people' },
  { page: 'audit' },
  { page: 'usage' },
])('the URL of the page `$page` leads back to this page', (place) => {
  expect(at(addressOf(place))).toEqual(place);
});

test.each(['/console/', '/console/#', '/console/#code=abc'])(
  'the URL %s, which names no page, opens the list of keys',
  (address) => {
    expect(at(address)).toEqual({ page: 'keys' });
  },
);

test.each(['#/other', '#/', `#/keys/${keyId}/more`, '#/keys/'])(
  'the page that %s names does not exist',
  (hash) => {
    expect(at(`/console/${hash}`)).toEqual({ page: 'unknown' });
  },
);

test('a URL fragment that the playground uses does not open a page of the console', () => {
  expect(at('/#/audit')).toEqual({ page: 'playground' });
});
