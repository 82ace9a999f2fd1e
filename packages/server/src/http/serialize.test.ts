import { routes } from '@eaas/protocol/service';
import { endpoints } from '@eaas/protocol/wire';
import { describe, expect, test } from 'vitest';
import { callOf } from '@eaas/protocol/reference';
import { hasList, hasLongText, serialize } from './api.ts';

function finish(reading: Generator<undefined, string | Buffer>) {
  for (let pauses = 0; ; pauses++) {
    const { done, value } = reading.next();
    if (done) return { text: String(value), pauses, isText: typeof value === 'string' };
  }
}

const keys = endpoints['GET /v1/keys'].output;
const page = callOf('GET /v1/keys').output as { keys: object[] };

describe('an output', () => {
  test.each(routes)('the output of %s has exactly the fields of its schema', (route, endpoint) => {
    const { output } = callOf(route);
    const { text } = finish(serialize(route, endpoint.output, { ...output, extra: 1 }));
    expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(endpoint.output.parse(output))));
  });

  test('the serializer yields after each member of a list', () => {
    const many = { ...page, keys: Array.from({ length: 100 }, () => page.keys[0]) };
    const { text, pauses } = finish(serialize('GET /v1/keys', keys, many));
    expect(pauses).toBe(100);
    expect((JSON.parse(text) as typeof page).keys).toHaveLength(100);
    expect([hasList(keys), hasList(endpoints['POST /v1/keys'].output)]).toEqual([true, false]);
  });

  test('an output with a long text counts as long, however few fields it has', () => {
    const outputs = [{ plaintext: 'x'.repeat(3_000) }, { plaintext: 'x', key_version: 1 }];
    expect(outputs.map(hasLongText)).toEqual([true, false]);
  });

  test('a long output is returned as bytes', () => {
    const name = '–'.repeat(100);
    const many = { ...page, keys: Array.from({ length: 1_000 }, () => ({ ...page.keys[0], name })) };
    const { text, isText } = finish(serialize('GET /v1/keys', keys, many));
    expect(isText).toBe(false);
    expect(text).toBe(JSON.stringify(keys.parse(many)));
    expect(finish(serialize('GET /v1/keys', keys, page)).isText).toBe(true);
  });

  test('an output with an empty list is complete', () => {
    const empty = { ...page, keys: [] };
    expect(finish(serialize('GET /v1/keys', keys, empty)).text).toBe(JSON.stringify(keys.parse(empty)));
  });

  test('the serializer leaves out unknown fields of the members of a list', () => {
    const { text } = finish(
      serialize('GET /v1/keys', keys, { ...page, keys: [{ ...page.keys[0], secret: 1 }] }),
    );
    expect(text).not.toContain('secret');
  });

  test.each([
    [
      'a member',
      { ...page, keys: [...page.keys, { ...page.keys[0], key_version: 'x' }] },
      'keys_1_key_version',
    ],
    ['a field', { ...page, total: 'x' }, 'total'],
    ['an object instead of a list', { ...page, keys: {} }, 'keys'],
    ['a list that is absent', { count: 0, total: 0, limit: 1, offset: 0 }, 'keys'],
  ])('an invalid output throws an error that names the field: %s', (_, output, field) => {
    expect(() => finish(serialize('GET /v1/keys', keys, output))).toThrow(
      expect.objectContaining({ name: 'OutputError', code: `GET_v1_keys_${field}` }) as Error,
    );
  });
});
