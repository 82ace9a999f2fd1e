import { expect, test } from 'vitest';
import { WaitingRoom } from './waiting-room.ts';

test('one tenant has half of the room, and another always finds some', () => {
  const room = new WaitingRoom(1_000);
  room.enter('a', 500);
  expect(() => room.enter('a', 1)).toThrow('more requests than it can write down');
  room.enter('b', 250);
  expect(() => room.enter('b', 1)).toThrow('more requests');
  room.enter('c', 1);
  expect(room.entries).toBe(751);
});

test('who leaves makes room', () => {
  const room = new WaitingRoom(10);
  room.enter('a', 5);
  room.leave('a', 5);
  room.enter('b', 5);
  expect(room.entries).toBe(5);
});
