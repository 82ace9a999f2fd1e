import { expect, test } from 'vitest';
import { Unread } from './unread-responses.ts';

function watched(capacity: number) {
  const unread = new Unread(capacity);
  const cut: string[] = [];
  const hold = (tenantId: string, name: string, bytes: number) =>
    unread.hold(tenantId, bytes, () => cut.push(name));
  return { unread, cut, hold };
}

test('a tenant whose unread responses fill more than half of the free bytes loses the oldest responses', () => {
  const { unread, cut, hold } = watched(100);
  for (const name of ['a1', 'a2', 'a3', 'a4', 'a5', 'a6', 'a7']) hold('a', name, 10);
  expect(cut).toEqual(['a1', 'a2']);
  expect(unread.counts).toEqual({ held: 50, waiting: 0, refused: 2 });
});

test('unread responses of one tenant never cause the server to drop responses of another tenant', () => {
  const { unread, cut, hold } = watched(100);
  hold('b', 'b1', 20);
  for (let nth = 0; nth < 50; nth++) hold('a', 'a', 10);
  expect(new Set(cut)).toEqual(new Set(['a']));
  expect(unread.counts.held).toBe(60);
});

test('a single unread response of a tenant can have any size', () => {
  const { unread, cut, hold } = watched(100);
  hold('a', 'a1', 300);
  hold('b', 'b1', 200);
  expect(cut).toEqual([]);
  hold('a', 'a2', 10);
  expect(cut).toEqual(['a1']);
  expect(unread.counts.held).toBe(210);
});

test('a response that was read or dropped frees its bytes only once', () => {
  const { unread, cut, hold } = watched(100);
  const releases = Array.from({ length: 8 }, (_, nth) => hold('a', `a${nth}`, 10));
  for (const release of [...releases, ...releases]) release();
  expect(cut).toHaveLength(3);
  expect(unread.counts.held).toBe(0);
});
