import { h, render } from 'preact';
import { act } from 'preact/test-utils';
import { expect, test } from 'vitest';
import { type Loaded, useLoaded } from './load.ts';

test('of two records that are asked for, the one that was asked for last is shown', async () => {
  const answers = new Map<string, (value: string) => void>();
  let shown: Loaded<string> | undefined;
  function Shown({ id }: { readonly id: string }) {
    shown = useLoaded(() => new Promise<string>((resolve) => void answers.set(id, resolve)), [id]);
    return null;
  }
  /** A component that shows nothing needs no page. */
  const place = { childNodes: [], firstChild: null } as unknown as Element;
  const ask = (id: string) => act(() => render(h(Shown, { id }), place));
  const answer = (id: string) =>
    act(async () => {
      answers.get(id)?.(`of ${id}`);
      await new Promise(setImmediate);
    });
  await ask('one');
  await ask('two');
  expect([...answers.keys()]).toEqual(['one', 'two']);
  await answer('two');
  expect(shown).toMatchObject({ value: 'of two', isLoading: false });
  await answer('one');
  expect(shown).toMatchObject({ value: 'of two', isLoading: false });
});
