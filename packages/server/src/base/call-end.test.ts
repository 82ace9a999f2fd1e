import { expect, test } from 'vitest';
import { CallEnd } from './waiting-room.ts';

test('`CallEnd` calls every listener once, when the call ends', () => {
  const end = new CallEnd();
  const called: string[] = [];
  for (const name of ['a', 'b']) end.addEventListener('abort', () => called.push(name));
  expect([end.aborted, called]).toEqual([false, []]);
  end.end();
  end.end();
  expect([end.aborted, called]).toEqual([true, ['a', 'b']]);
});

test('`CallEnd` does not call removed listeners, even if another listener of the same event removed them', () => {
  const end = new CallEnd();
  const called: string[] = [];
  const last = () => called.push('last');
  const removed = () => called.push('removed');
  end.addEventListener('abort', removed);
  end.removeEventListener('abort', removed);
  end.addEventListener('abort', () => end.removeEventListener('abort', last));
  end.addEventListener('abort', last);
  end.end();
  expect(called).toEqual([]);
});
