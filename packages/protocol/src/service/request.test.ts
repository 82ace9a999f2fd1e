import { expect, test } from 'vitest';
import { readQuery, routes } from './request.ts';

const badRequest = expect.objectContaining({ code: 'bad_request' }) as unknown;
const parameters = routes.flatMap(([route, endpoint]) =>
  Object.keys(endpoint.query?.shape ?? {}).map((name) => ({ route, endpoint, name })),
);

function outcomeOf(read: () => object): unknown {
  try {
    return read();
  } catch (error) {
    return error;
  }
}

// A check by a regular expression with quadratic time would need minutes for each of these values.
test.each(parameters)(
  'the time to check a long value of `$name` in $route is linear',
  ({ endpoint, name }) => {
    for (const unit of ['1', '0', '9.', '-', ' ', 'T', 'a']) {
      const value = `${unit.repeat(300_000)}!`;
      const outcome = outcomeOf(() => readQuery(endpoint, `/?${name}=${encodeURIComponent(value)}`));
      expect([badRequest, { [name]: value }]).toContainEqual(outcome);
    }
  },
);
