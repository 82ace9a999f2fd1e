import type { IncomingMessage } from 'node:http';
import { PassThrough } from 'node:stream';
import { setImmediate as nextLoop } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { setTimeLimits } from '@eaas/test-kit/time-limits';
import { createAdmission } from '../admission/admission.ts';
import { admitBody, type Body, discardBody } from './body.ts';

const mebi = 1024 * 1024;
const kibi = 1024;

beforeEach(() => {
  setTimeLimits(1);
  vi.useFakeTimers({ toFake: ['setTimeout', 'setInterval', 'clearTimeout', 'clearInterval'] });
});
afterEach(() => void vi.useRealTimers());

const { shares } = createAdmission();
const held = () => [shares.small_bodies.counts.held, shares.large_bodies.counts.held];

async function lengthOf(body: Body): Promise<number> {
  let length = 0;
  for await (const chunk of body) length += (chunk as Buffer).length;
  if (body.fault) throw body.fault as Error;
  return length;
}

function call(tenantId: string, length?: number) {
  const request = new PassThrough({ highWaterMark: 16 * mebi });
  const ending = new AbortController();
  const headers = length === undefined ? {} : { 'content-length': String(length) };
  const incoming = Object.assign(request, { headers }) as unknown as IncomingMessage;
  const body = admitBody(incoming, 8 * mebi, { shares, tenantId, signal: ending.signal });
  const outcome = body.then(lengthOf).catch((error: Error & { code?: string }) => {
    discardBody(incoming);
    return error.code ?? error.name;
  });
  let isSettled = false;
  void outcome.then(() => (isSettled = true));
  return {
    send: (bytes: number) => request.write(Buffer.alloc(bytes)),
    finish: () => request.end(),
    end: () => ending.abort(),
    outcome: async () => {
      for (let loop = 0; loop < 10; loop++) await nextLoop();
      return isSettled ? outcome : 'pending';
    },
  };
}

test.each([
  [10, true],
  [9, false],
])('a body of 10 bytes of which %i have arrived is read directly: %s', async (arrived, isDirect) => {
  const request = new PassThrough();
  request.write(Buffer.alloc(arrived));
  const incoming = Object.assign(request, {
    headers: { 'content-length': '10' },
  }) as unknown as IncomingMessage;
  const ending = new AbortController();
  const body = await admitBody(incoming, mebi, { shares, tenantId: 'a', signal: ending.signal });
  expect(body === incoming).toBe(isDirect);
  request.end(Buffer.alloc(10 - arrived));
  expect(await lengthOf(body)).toBe(10);
  ending.abort();
  expect(held()).toEqual([0, 0]);
});

describe('the memory for bodies', () => {
  test('a call reserves memory for its body when the length is known, and releases it when the call ends', async () => {
    const one = call('a', 3 * mebi);
    expect(held()).toEqual([0, 3 * mebi]);
    one.send(3 * mebi);
    one.finish();
    expect(await one.outcome()).toBe(3 * mebi);
    expect(held()).toEqual([0, 3 * mebi]);
    one.end();
    expect(held()).toEqual([0, 0]);
  });

  test('a flood of bodies of one tenant leaves memory for the bodies of other tenants', async () => {
    const flood = Array.from({ length: 32 }, () => call('a', 8 * mebi));
    const small = Array.from({ length: 200 }, () => call('a', 64 * kibi));
    expect(held()).toEqual([8 * mebi, 8 * mebi]);
    const others = [call('b', 8 * mebi), call('c', 8 * mebi), call('b', 64 * kibi), call('c', 1)];
    for (const other of others) other.finish();
    expect(await Promise.all(others.map((other) => other.outcome()))).toEqual([0, 0, 0, 0]);
    await vi.advanceTimersByTimeAsync(2_000);
    expect(await flood[31]?.outcome()).toBe('unavailable');
    expect(await small[199]?.outcome()).toBe('unavailable');
    for (const one of [...flood, ...small, ...others]) one.end();
    expect(held()).toEqual([0, 0]);
  });

  test('a disconnecting client releases the memory for its body', async () => {
    const calls = Array.from({ length: 5 }, () => call('a', 8 * mebi));
    for (const one of calls) one.end();
    expect(await calls[4]?.outcome()).toBe('unavailable');
    expect(held()).toEqual([0, 0]);
  });

  test('a body without Content-Length reserves 8 MiB only after its first 64 KiB', async () => {
    const one = call('a');
    expect(held()).toEqual([64 * kibi, 0]);
    one.send(64 * kibi);
    await one.outcome();
    expect(held()).toEqual([64 * kibi, 0]);
    one.send(1);
    await one.outcome();
    expect(held()).toEqual([64 * kibi, 8 * mebi]);
    one.finish();
    expect(await one.outcome()).toBe(64 * kibi + 1);
    one.end();
  });

  test('a chunked body is refused if no memory is free in time', async () => {
    const others = Array.from({ length: 3 }, () => call('a', 8 * mebi));
    const one = call('a');
    one.send(65 * kibi);
    expect(await one.outcome()).toBe('pending');
    await vi.advanceTimersByTimeAsync(2_000);
    expect(await one.outcome()).toBe('unavailable');
    for (const other of [...others, one]) other.end();
  });
});

describe('a body', () => {
  test.each([undefined, 8 * mebi + 1])(
    'a body larger than the limit is refused (Content-Length: %s)',
    async (length) => {
      const one = call('a', length);
      one.send(64 * kibi + 1);
      await one.outcome();
      one.send(8 * mebi);
      expect(await one.outcome()).toBe('too_large');
      one.end();
    },
  );
});
