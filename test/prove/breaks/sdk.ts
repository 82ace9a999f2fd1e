// Breaks of the client: its data keys, its halves, its fingerprints and its calls.
import { breaksIn } from '../breaks.ts';

const src = 'packages/sdk/src';
const clients = [`${src}/client/people.test.ts`, `${src}/client/envelope-client.test.ts`];
const half = [`${src}/data-keys/encrypting.test.ts`, 'packages/sdk/test/half/key-service.test.ts'];

export const breaks = [
  ...breaksIn(`${src}/data-keys/cache.ts`, clients, {
    'erased-keys-that-arrive-later': ['if (leases === this.#arriving) leases.delete(name);', ''],
    'data-keys-past-their-age': ['createdAt >= this.#limits.maxAge', 'createdAt > 2 * this.#limits.maxAge'],
  }),
  ...breaksIn(`${src}/data-keys/encrypting.ts`, [`${src}/data-keys/encrypting.test.ts`], {
    'deks-left-after-a-wrap': ['dek.fill(0);', ''],
    'one-message-too-many': ['(messages + more) / limits', 'messages / limits'],
  }),
  ...breaksIn(`${src}/half/halves.ts`, half, {
    'deks-left-before-a-half': ['.finally(() => dek.fill(0));', ';'],
    'halves-that-are-nearly-too-old': ['(await ask(of, 0.8))', '(await ask(of))'],
  }),
  ...breaksIn(`${src}/fields/where.ts`, [`${src}/fields/searchable-by.test.ts`], {
    'fingerprints-in-the-order-of-words': ['new Set(fingerprints)].sort()', 'new Set(fingerprints)]'],
  }),
  ...breaksIn(`${src}/http/exchange.ts`, [`${src}/http/transport.test.ts`], {
    'creations-repeated': ['repeatable.test(route) ? asked.retries : 0', 'asked.retries'],
  }),
  ...breaksIn(`${src}/proxy/proxy.ts`, [`${src}/proxy/requests.test.ts`], {
    'pages-of-another-host': ['origin !== undefined && from !== origin)', 'origin === null)'],
  }),
];
