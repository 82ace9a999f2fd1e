// Breaks of the formats, and of what proves a log.
import { breaksIn } from '../breaks.ts';

const src = 'packages/protocol/src';

export const breaks = [
  ...breaksIn(`${src}/intake/open.ts`, [`${src}/intake/intake.test.ts`], {
    'ml-kem-keys-left-in-memory': ['mlKem.secretKey.fill(0);', ''],
  }),
  ...breaksIn(`${src}/context.ts`, [`${src}/context.test.ts`], {
    'contexts-of-one-more-member': ['return count === 0;', 'return true;'],
  }),
  ...breaksIn(`${src}/audit-chain.ts`, [`${src}/audit-chain.test.ts`], {
    'entries-without-their-address': ["  'ip_address',\n", ''],
  }),
  ...breaksIn(`${src}/log/policy.ts`, [`${src}/log/policy.test.ts`], {
    'a-quorum-of-one-less': ['.length >= group.threshold', '.length > group.threshold - 2'],
  }),
  ...breaksIn(`${src}/log/tlog.ts`, [`${src}/log/tlog.test.ts`], {
    'signatures-that-count-twice': ['|| verified.some((earlier) => earlier.key === key)', ''],
  }),
];
