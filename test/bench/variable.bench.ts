// Keys in one variable beside what apps write by hand for the tokens of their users. Run by `npm run bench -- variable`.
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { EaasClient } from '@eaas/sdk';
import { localService } from '@eaas/local';
import { median } from '@eaas/test-kit/statistics';
import { root } from '@eaas/test-kit/markdown';
import { formatSealed, newSealed } from '../../packages/local/src/sealed.ts';
import { type Benchmark, pick } from './compare.ts';
import { workOf } from './fields.bench.ts';
import { firstValueIn } from './first-value.ts';

const context = { table: 'connections', row: '42' };
const texts = Array.from({ length: 256 }, () => randomBytes(32).toString('hex'));

export const benchmark: Benchmark = {
  name: 'variable',
  about: 'tokens of 64 B, with the keys of a local service in one variable, compared with `createCipheriv`',
  async comparisons() {
    const sealed = formatSealed(newSealed(Date.now()));
    const ours = await workOf(new EaasClient({ service: localService({ sealed }) }), texts, context);
    const hand = byHand(randomBytes(32));
    const [text, stored] = [pick(texts), pick(texts.map((each) => hand.encrypt(each, '42')))];
    const firsts: number[] = [];
    for (let turn = 0; turn < 9; turn++) firsts.push(await firstValueIn(root, sealed));
    const note = () => ({ 'first value after the import, ms': median(firsts).toFixed(1) });
    const reference = 'createCipheriv by hand';
    return [
      {
        ours: { name: 'encrypt', run: ours.encrypt },
        reference: { name: reference, run: (call) => hand.encrypt(text(call), '42') },
        target: 1 / 1.3,
        note,
      },
      {
        ours: { name: 'decrypt', run: ours.decrypt },
        reference: { name: reference, run: (call) => hand.decrypt(stored(call), '42') },
        target: 1 / 1.3,
      },
    ];
  },
};

/** What an app writes that binds its values to their rows. */
function byHand(key: Buffer) {
  return {
    encrypt(text: string, row: string): string {
      const iv = randomBytes(12);
      const cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(Buffer.from(row));
      const body = [cipher.update(text, 'utf8'), cipher.final()];
      return Buffer.concat([iv, ...body, cipher.getAuthTag()]).toString('base64');
    },
    decrypt(stored: string, row: string): string {
      const bytes = Buffer.from(stored, 'base64');
      const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, 12), { authTagLength: 16 });
      decipher.setAAD(Buffer.from(row)).setAuthTag(bytes.subarray(-16));
      return decipher.update(bytes.subarray(12, -16), undefined, 'utf8') + decipher.final('utf8');
    },
  };
}
