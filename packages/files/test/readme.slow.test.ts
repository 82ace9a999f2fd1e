import { mkdir, writeFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { blocksOf, read } from '@eaas/test-kit/markdown';
import { newAccount, newPlace } from './command-line.ts';

const install = 'npm install --global ./packages/files';

test('the commands in the README work in their order', async () => {
  const all = blocksOf(read('packages/files/README.md'), 'sh');
  const blocks = all.filter((block) => block.trim() !== install);
  expect(blocks).toHaveLength(all.length - 1);
  const { tenant, env, client } = await newAccount();
  const place = await newPlace();
  await mkdir(place.at('photos'));
  for (const name of ['report.pdf', 'contract.pdf', 'letter.pdf', 'photos/a.jpg']) {
    await writeFile(place.at(name), name);
  }
  const { key_id: keyId } = await tenant.newKey({ intake: true });
  await writeFile(place.at('forms.pub'), (await client.publicKey(keyId)).intake_public_key ?? '');
  expect(blocks.length).toBeGreaterThan(5);
  for (const block of blocks) {
    expect(await place.type(`set -e\n${block}`, env)).toMatchObject({ code: 0 });
  }
  expect(await place.list()).toEqual(expect.arrayContaining(['copy.pdf', 'restored/a.jpg', 'photos.tar']));
});
