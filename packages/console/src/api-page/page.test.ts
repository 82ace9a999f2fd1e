import { callOf } from '@eaas/protocol/internal-reference';
import { endpoints, problems, type Route } from '@eaas/protocol/wire';
import { expect, test } from 'vitest';
import { apiPage } from './page.ts';

const page = apiPage({ style: 'p{color:red}', icon: 'data:image/svg+xml,x' });
const anchors = Array.from(page.matchAll(/ id="([^"]+)"/g), ([, id]) => id);

test('the page describes every call and every problem code, each once', () => {
  const ids = (Object.keys(endpoints) as Route[])
    .map((route) => callOf(route).id)
    .concat(Object.keys(problems).map((code) => `problem-${code}`));
  expect(ids.filter((id) => !anchors.includes(id))).toEqual([]);
  expect(new Set(anchors).size).toBe(anchors.length);
});

test('the page has no script, loads no other file, and links only to the service', () => {
  expect(page).not.toMatch(/<script|<img| style=| on\w+=| src=/);
  const links = Array.from(page.matchAll(/href="([^#"][^"]*)"/g), ([, link]) => link);
  expect(links).toEqual(['data:image/svg+xml,x', '/', '/console/', '/openapi.json']);
});

test('every link on the page has a target', () => {
  const links = Array.from(page.matchAll(/href="#([^"]+)"/g), ([, id]) => id);
  expect(links.filter((id) => !anchors.includes(id))).toEqual([]);
});
