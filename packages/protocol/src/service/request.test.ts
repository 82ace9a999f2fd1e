import { expect, test } from 'vitest';
import { Refusal } from './refusal.ts';
import { readQuery, routes } from './request.ts';

const parameters = routes.flatMap(([route, endpoint]) =>
  Object.keys(endpoint.query?.shape ?? {}).map((name) => ({ route, endpoint, name })),
);

// A pattern that takes quadratic time would need minutes for each value.
test.each(parameters)(
  'long values of `$name` in $route take linear time',
  { timeout: 20_000 },
  ({ endpoint, name }) => {
    for (const unit of ['1', '0', '9.', '-', ' ', 'T', 'a']) {
      const value = encodeURIComponent(`${unit.repeat(300_000)}!`);
      try {
        expect(readQuery(endpoint, `/?${name}=${value}`)).toHaveProperty(name);
      } catch (error) {
        expect(error).toBeInstanceOf(Refusal);
      }
    }
  },
);
