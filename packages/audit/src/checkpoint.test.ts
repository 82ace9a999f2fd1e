import { InputError } from '@eaas/protocol';
import { expect, test } from 'vitest';
import { playLog } from '@eaas/test-kit/played-log';
import { vectors } from '@eaas/test-kit/vectors';
import { openCheckpoint } from './index.ts';

const { cases, accepted, refusals } = vectors('checkpoint');
const [vector] = cases as [(typeof cases)[number]];

test.each([...cases, ...accepted])(
  'the valid checkpoint of the test vector "$name" is accepted',
  async ({ note, verifier_key, tenant_id, id, hash }) => {
    expect(await openCheckpoint(note, verifier_key)).toEqual({ tenant_id, id, hash });
  },
);

test.each(refusals)(
  'the invalid checkpoint of the test vector "$name" is refused',
  async ({ note, verifier_key }) => {
    expect(await openCheckpoint(note, verifier_key)).toBeUndefined();
  },
);

test('a checkpoint with an altered, added, removed or repeated character is refused', async () => {
  const signed = await playLog(3).call('GET /v1/audit/checkpoint', {});
  const { checkpoint: note, verifier_key: verifierKey } = signed;
  expect(await openCheckpoint(note, verifierKey)).toMatchObject({ id: 3 });
  const others = [`${note}\n`, note + note, `\n${note}`];
  for (let at = 0; at < note.length; at++) {
    others.push(note.slice(0, at) + note.slice(at + 1));
    for (const inserted of ['\n', ' ', 'A', '=', '\ud800']) {
      others.push(note.slice(0, at) + inserted + note.slice(at));
    }
  }
  const opened = await Promise.all(others.map((other) => openCheckpoint(other, verifierKey)));
  expect(opened.filter((head) => head !== undefined)).toEqual([]);
});

test('an invalid verifier key and a verifier key with a wrong key id are refused', async () => {
  const { verifier_key: key, note } = vector;
  const others = [
    '',
    'eaas',
    key.slice(1),
    `${key}A`,
    key.replace('+6883a0dd+', '+6883a0de+'),
    key.toUpperCase(),
  ];
  for (const other of others) await expect(openCheckpoint(note, other)).rejects.toThrow(InputError);
});
