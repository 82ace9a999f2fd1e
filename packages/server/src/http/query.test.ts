import { expect, it } from 'vitest';
import { shareServer } from './testing/listen.ts';

const serve = shareServer();

it.each([
  [
    '/v1/audit?operation=encrypt',
    'Unknown query parameter `operation`: this call takes `key_id`, `action`, ',
  ],
  ['/v1/audit/checkpoint?x=1', 'Unknown query parameter `x`: this call takes none.'],
  ['/v1/keys?limit=1&l%69mit=1', 'Query parameter `limit` is given twice.'],
  ['/v1/keys?limit', 'Query parameter `limit` is empty.'],
  ['/v1/keys?name=%ff', 'Query parameter `name` is not percent-encoded UTF-8.'],
  ['/v1/keys?name=a%00', 'Query parameter `name` has a control character.'],
  ['/v1/keys?limit=0', 'Query parameter `limit` must be a whole number of at least 1.'],
  ['/v1/audit?date_to=2026-08-11T09:30:00+02:00', 'a `+` in a query must be written %2B'],
])('the request %s gets 400 with the reason', async (path, detail) => {
  const { fetch, service } = await serve();
  const response = await fetch(path);
  const problem = (await response.json()) as { detail: string };
  expect(response.status).toBe(400);
  expect(problem.detail).toContain(detail);
  expect(service.calls).toEqual([]);
});
