import { parseHalf } from '@eaas/protocol/internal-half';
import { jsonLines } from '@eaas/test-kit/command-line';
import { eaas, run } from '@eaas/test-kit/program';
import { expect, test } from 'vitest';
import { describeHalf } from '../src/half.ts';

const half = (...more: string[]) => run([...eaas, 'half', 'new', ...more], {});

test('a half has the text and the id of the format', () => {
  const bytes = Buffer.from('84a803d98ae490fe856ba6043c3267f205e3d4dbfcf141c005eed146b2303386', 'hex');
  expect(describeHalf(bytes)).toEqual({
    half: 'eaas_half_VSKJF9dfAeJoWeuyFp5EkW3ZcrIIOfWJ7WBqHh7Q6GE4LQSsN',
    half_id: '8f5690b4',
  });
});

test('eaas half new prints another half each time, as two variables or JSON, and needs no database', async () => {
  const { code, stdout, stderr } = await half();
  const [, text = '', half_id] = /^EAAS_HALF=(\w+)\nEAAS_HALF_ID=([\da-f]{8})\n$/.exec(stdout) ?? [];
  expect({ code, saysIt: stderr.includes(text) }).toEqual({ code: 0, saysIt: false });
  expect(stderr).toMatch(/^Lost is lost: .*\nNext: .*\n$/);
  const [other] = jsonLines<{ half: string }>((await half('--json')).stdout);
  expect(other?.half).not.toBe(text);
  for (const printed of [other, { half: text, half_id }]) {
    expect(printed).toEqual(describeHalf(parseHalf(printed?.half ?? '') as Uint8Array));
  }
});
