import { expect, test } from 'vitest';
import { vectors } from '@eaas/test-kit/vectors';
import { InputError } from '../errors.ts';
import { meetsQuorum, parsePolicy, quorumTime } from './policy.ts';
import { formatNoteKey, noteKey } from '../signed-note.ts';

const keyOf = (name: string, type = 4): string => {
  const publicKey = new Uint8Array(type === 6 ? 1_312 : 32);
  publicKey.set(new TextEncoder().encode(name));
  return formatNoteKey(noteKey(`${name}.example`, type, publicKey));
};
const witness = (name: string): string => `witness ${name} ${keyOf(name)}`;

/** The example of tlog-policy. */
const example = `log ${keyOf('log', 1)}

${['X1', 'X2', 'X3'].map(witness).join('\n')}
group X-witnesses 2 X1 X2 X3

${['Y1', 'Y2', 'Y3'].map(witness).join('\n')}
group Y-witnesses any Y1 Y2 Y3

group X-and-Y all X-witnesses Y-witnesses
quorum X-and-Y
`;

test.each([
  ['X1 X2 Y1', true],
  ['X1 X2', false],
  ['X1 Y1 Y2 Y3', false],
  ['', false],
  ['X-and-Y', false],
])('with the example of tlog-policy, %s is enough: %s', (names, isEnough) => {
  const policy = parsePolicy(example);
  expect(policy.logs.map(({ key }) => key.name)).toEqual(['log.example']);
  expect(policy.witnesses).toHaveLength(6);
  expect(meetsQuorum(policy, new Set(names.split(' ')))).toBe(isEnough);
});

test('a line has comments before it, tabs, spaces and a URL', () => {
  const policy = parsePolicy(
    `  # a comment\n\t\n log\t${keyOf('log', 1)}  https://log.example/ \n` +
      `witness w\u00e9 ${keyOf('w')} https://w.example\nquorum w\u00e9`,
  );
  expect(policy.logs[0]?.url).toBe('https://log.example/');
  expect(policy.witnesses[0]).toMatchObject({ name: 'w\u00e9', url: 'https://w.example' });
  expect(policy.quorum).toBe('w\u00e9');
});

test('a quorum of none is met by nobody at once', () => {
  const policy = parsePolicy('quorum none');
  expect(meetsQuorum(policy, new Set())).toBe(true);
  expect(quorumTime(policy, [])).toBe(0);
});

test('the time of the quorum is the smallest that enough cosignatures cover', () => {
  const policy = parsePolicy(`${['a', 'b', 'c'].map(witness).join('\n')}\ngroup g 2 a b c\nquorum g`);
  const [a, b, c] = policy.witnesses.map(({ key }) => key);
  const timeOf = (...times: [key: typeof a, time: number][]): number | undefined =>
    quorumTime(
      policy,
      times.map(([key, time]) => ({ key: key as NonNullable<typeof a>, time, line: '' })),
    );
  expect(timeOf([a, 30], [b, 10], [c, 20])).toBe(20);
  expect(timeOf([a, 30], [b, 10])).toBe(30);
  expect(timeOf([a, 0], [b, 10])).toBeUndefined();
  expect(timeOf([a, 10])).toBeUndefined();
  const stranger = noteKey('s.example', 4, new Uint8Array(32));
  expect(timeOf([a, 10], [stranger, 5])).toBeUndefined();
});

const w = witness('w');

test.each([
  ['quorum w', 'line 1 of the policy is not valid: no line before it defines w'],
  [`${w}\nquorum v`, 'line 2 of the policy is not valid: no line before it defines v'],
  [w, 'the policy must have a line `quorum <name>`'],
  [`${w}\nquorum w\nquorum w`, 'line 3 of the policy is not valid: the policy already has a quorum'],
  [`${w}\nquorum w v`, 'line 2 of the policy is not valid: it must be `quorum <name>`'],
  [`${w}\ngroup g 2 w\nquorum g`, 'the group has 1 members, so it cannot demand 2'],
  [`${w}\ngroup g 0 w\nquorum g`, 'it must be `group <name> all|any|<number> <name>…`'],
  [`${w}\ngroup g all\nquorum g`, 'it must be `group'],
  [
    `${w}\ngroup g all w\ngroup h any g w\nquorum h`,
    'line 3 of the policy is not valid: w is already a member of a group',
  ],
  [`${w}\ngroup g any w none\nquorum g`, '`none` cannot be a member of a group'],
  [`${w}\ngroup g any g w\nquorum g`, 'no line before it defines g'],
  [`${w}\ngroup w any w\nquorum w`, 'the name w is already taken'],
  [`${w}\nwitness w ${keyOf('v')}\nquorum w`, 'the name w is already taken'],
  [
    `${w}\nwitness v ${keyOf('w')}\nquorum w`,
    'line 2 of the policy is not valid: the key of w.example stands on an earlier line',
  ],
  [`witness w ${keyOf('w', 1)}\nquorum w`, 'a witness cannot have a key of type 1'],
  [`log ${keyOf('l', 2)}\nquorum none`, 'a log cannot have a key of type 2'],
  [`log ${keyOf('l', 1)} a b\nquorum none`, 'it must be `log <verifier key> [<url>]`'],
  [`${w} a b\nquorum none`, 'it must be `witness <name> <verifier key> [<url>]`'],
  [
    'witness w w.example+00000000+BAAA\nquorum w',
    'line 1 of the policy is not valid: the public key of w.example must have 32 bytes',
  ],
  ['quorums none', 'it must begin with `log`, `witness`, `group` or `quorum`'],
  ['quorum none\r\n', 'no control character but tabs'],
  [
    `${Array.from({ length: 101 }, (_, n) => witness(`w${n}`)).join('\n')}\nquorum w1`,
    'line 101 of the policy is not valid: a policy must have at most 100 witnesses',
  ],
  ['#'.repeat(1_000_001), 'at most 1000000 characters'],
])('a policy is refused with the line and the cause: %#', (text, cause) => {
  expect(() => parsePolicy(text)).toThrow(InputError);
  expect(() => parsePolicy(text)).toThrow(cause);
});

test('the same key may be that of a log and of a witness, as another type', () => {
  const publicKey = new Uint8Array(32).fill(3);
  const [log, cosigner] = [1, 4].map((type) => formatNoteKey(noteKey('both.example', type, publicKey)));
  expect(parsePolicy(`log ${log}\nwitness w ${cosigner}\nquorum w`).witnesses).toHaveLength(1);
});

test('the policy of the vectors is read', () => {
  expect(parsePolicy(vectors('log-proof').policy).quorum).toBe('enough');
});
