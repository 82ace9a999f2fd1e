import { ServiceError } from '@eaas/protocol/internal';
import { expect, test } from 'vitest';
import { Erasures } from './erasures.ts';

test('at most 10,000 people are remembered, and the first is forgotten first', async () => {
  const erasures = new Erasures(() => undefined);
  for (let n = 0; n < 10_001; n++) erasures.add(`${n}`);
  const ask = (subject?: string) => erasures.ask(subject, async () => 'asked');
  expect(await ask('0')).toBe('asked');
  for (const known of ['1', '10000']) await expect(ask(known)).rejects.toBeInstanceOf(ServiceError);
});

test('other refusals are not remembered, and nobody is never erased', async () => {
  const erasures = new Erasures(() => undefined);
  for (const [subject, code] of [
    ['1', 'unavailable'],
    [undefined, 'subject_erased'],
  ] as const) {
    const refused = () => Promise.reject(new ServiceError(code, 'refused'));
    await expect(erasures.ask(subject, refused)).rejects.toMatchObject({ code });
    expect(await erasures.ask(subject, async () => 'asked')).toBe('asked');
  }
});
