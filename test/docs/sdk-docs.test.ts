import { expect, test } from 'vitest';
import { endpoints } from '@eaas/protocol/wire';
import { read } from '@eaas/test-kit/markdown';
import { sources } from '../house-rules/files.ts';

const manual = read('packages/sdk/README.md');

test('the pages name every variable that the client reads, every class of errors, and every call that is never repeated', () => {
  const code = sources.filter(({ path }) => path.startsWith('packages/sdk/')).map(({ text }) => text);
  const variables = code.join('').match(/(?<=')EAAS_\w+(?=')/g) ?? [];
  expect(variables).toContain('EAAS_HALF');
  const commands = read('docs/operating/commands.md');
  expect(variables.filter((name) => !commands.includes(`\`${name}\``))).toEqual([]);
  const classes = code.join('').match(/(?<=export class )\w+(?= extends EaasError)/g);
  expect(classes?.filter((name) => !manual.includes(`\`${name}\``))).toEqual([]);
  const repeatable = new RegExp(/const repeatable = \/(.+)\/;/.exec(code.join(''))?.[1] ?? '');
  const [never = ''] = /Never repeated are [^.]+/.exec(manual) ?? [];
  const routes = Object.keys(endpoints).filter((route) => !repeatable.test(route));
  const verbs = routes.map((route) => (route.endsWith('s') ? 'create' : /^POST .*\/(\w+)$/.exec(route)?.[1]));
  expect(verbs).toContain('rotate');
  expect(verbs.filter((verb = 'destroy') => !never.includes(verb))).toEqual([]);
});
