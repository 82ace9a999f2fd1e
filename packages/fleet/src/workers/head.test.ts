import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { isComplete, tokenIn } from './acceptor.ts';

const hashOf = (token: string): string => createHash('sha256').update(token).digest('hex');
const head = (...lines: string[]): Buffer => Buffer.from(`GET /v1/keys HTTP/1.1\r\n${lines.join('\r\n')}`);

describe('tokenIn', () => {
  it.each([
    ['Authorization: Bearer abc\r\n\r\n'],
    ['Host: x\r\nauthorization:   bearer   abc  \r\nX: y\r\n\r\n'],
    ['Host: x\r\nAuthorization: Bearer abc'],
  ])('the hash of the API key is found in %j', (lines) => {
    expect(tokenIn(head(lines))).toBe(hashOf('abc'));
  });

  it.each([
    ['no Authorization header', 'Host: x\r\n\r\n'],
    ['another scheme', 'Authorization: Basic abc\r\n\r\n'],
    ['an Authorization line in the body', 'Host: x\r\n\r\nAuthorization: Bearer abc\r\n'],
    ['a header that only ends with the name', 'X-Authorization: Bearer abc\r\n\r\n'],
  ])('`tokenIn` returns undefined for %s', (_, lines) => {
    expect(tokenIn(head(lines))).toBeUndefined();
  });

  it('for pipelined requests, `tokenIn` returns the hash of the first API key', () => {
    const one = (token: string) => `GET / HTTP/1.1\r\nAuthorization: Bearer ${token}\r\n\r\n`;
    expect(tokenIn(Buffer.from(one('first') + one('second')))).toBe(hashOf('first'));
  });
});

describe('isComplete', () => {
  it.each([
    ['the end of the headers', head('Host: x\r\n\r\n')],
    ['a whole Authorization line', head('Authorization: Bearer abc\r\nHost')],
    ['a TLS handshake', Buffer.from([0x16, 3, 1, 2, 0, 1])],
    ['a lower-case method', Buffer.from('hello')],
    ['a line that ends without a carriage return', Buffer.from('GET / HTTP/1.1\nHost: x\n')],
  ])('%s needs no further bytes', (_, bytes) => {
    expect(isComplete(bytes)).toBe(true);
  });

  it.each([
    ['nothing', Buffer.alloc(0)],
    ['a part of the method', Buffer.from('PO')],
    ['a part of the request line', Buffer.from('POST /v1/ha')],
    ['a part of the API key', head('Authorization: Bearer ab')],
    ['a header with a letter in UTF-8', head('X: ä\r\nHost: x')],
  ])('%s needs further bytes', (_, bytes) => {
    expect(isComplete(bytes)).toBe(false);
  });

  // If the search for the API key took quadratic time, this test would take about a minute.
  it('spaces after the header name are searched in linear time', { timeout: 20_000 }, () => {
    expect(isComplete(head(`Authorization:${' '.repeat(256 * 1024)}`))).toBe(false);
  });
});
