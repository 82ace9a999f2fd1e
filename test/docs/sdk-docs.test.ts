import { expect, test } from 'vitest';
import { endpoints } from '@eaas/protocol/wire';
import { read, rowsUnder } from '@eaas/test-kit/markdown';
import { streamChunkLength, tagLength } from '../../packages/protocol/src/format-sizes.ts';
import { limitsOf } from '../../packages/sdk/src/data-keys/limits.ts';
import { sources } from '../house-rules/files.ts';

const manual = read('packages/sdk/README.md');

test('the pages name every variable that the client reads, every class of errors, and every call that is never repeated', () => {
  const code = sources.filter(({ path }) => path.startsWith('packages/sdk/')).map(({ text }) => text);
  const variables = code.join('').match(/(?<=')EAAS_\w+(?=')/g) ?? [];
  expect(variables).toContain('EAAS_HALF');
  const commands = read('docs/operating/commands.md');
  expect(variables.filter((name) => !commands.includes(`\`${name}\``))).toEqual([]);
  const classes = code.join('').match(/(?<=export class )\w+(?= extends EaasError)/g);
  const errors = read('docs/errors.md');
  expect(classes?.filter((name) => !errors.includes(`\`${name}\``))).toEqual([]);
  const repeatable = new RegExp(/const repeatable = \/(.+)\/;/.exec(code.join(''))?.[1] ?? '');
  const [never = ''] = /It never repeats [^.]+/.exec(manual) ?? [];
  const routes = Object.keys(endpoints).filter((route) => !repeatable.test(route));
  const verbs = routes.map((route) => (route.endsWith('s') ? 'create' : /^POST .*\/(\w+)$/.exec(route)?.[1]));
  expect(verbs).toContain('rotate');
  expect(verbs.filter((verb = 'destroy') => !never.includes(verb))).toEqual([]);
});

test('the bounds of AES-GCM on the page about NIST are those of the SDK', () => {
  const rows = rowsUnder(read('docs/nist.md'), 'what');
  const ours = (what: string): string => rows.find(([first]) => first?.startsWith(what))?.[2] ?? '';
  const { maxMessages } = limitsOf().encrypt;
  const most = '`maxMessages` takes at most 2^32';
  expect(ours('messages')).toBe(`${maxMessages.toLocaleString('en')} by default; ${most}`);
  const limited = (maximum: number) => () => limitsOf({ encrypt: { maxMessages: maximum } });
  expect(limited(2 ** 32)).not.toThrow();
  expect(limited(2 ** 32 + 1)).toThrow('maxMessages');
  // Half the square of the number of ivs, by the 2^96 that there are.
  const chances = [maxMessages, 2 ** 32].map((ivs) => 2 * Math.log2(ivs) - 97);
  expect(ours('chance')).toBe(`2^${chances[0]} by default; 2^${chances[1]} at most`);
  expect(ours('tag')).toBe(String(tagLength));
  expect(ours('bytes of a message')).toContain(`${streamChunkLength.toLocaleString('en')} in a chunk`);
});
