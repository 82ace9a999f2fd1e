// Breaks of the rules, the ledger, people, sign-ins and the verification. Those of the ledger's model are in ledger.ts.
import { breaksIn } from '../breaks.ts';

const src = 'packages/service/src';
const ledger = [`${src}/ledger/ledger.test.ts`];
const conformance = ['packages/service/test/conformance.test.ts'];
const verify = [`${src}/verify/verify.test.ts`];
const signIns = [`${src}/plugins/issuers/issuers.test.ts`];

export const breaks = [
  ...breaksIn(`${src}/ledger/link.ts`, [...ledger, `${src}/ledger/link.test.ts`], {
    'links-full-by-both-limits': ['.entries || bytes', '.entries && bytes'],
    'runs-of-several-actors': ['run.actor === actor &&', ''],
    'runs-of-several-addresses': ['run.ip_address === ipAddress', 'true'],
    'sums-with-the-row-before': ['if (before) sum -=', 'if (!before) sum -='],
  }),
  ...breaksIn(`${src}/ledger/tenant-cache.ts`, [...ledger, `${src}/ledger/follow.test.ts`], {
    'losses-at-the-same-id': ['|| (head.id === before.id && !isSame))', ')'],
    'guesses-forgotten-by-a-change': [
      'if (writes.has(refTo(tenants, this.tenantId)))',
      'if (writes.size > 0)',
    ],
    'guesses-under-a-moved-head': ['guess.follow(head) : isSame', 'true : isSame'],
  }),
  ...breaksIn(`${src}/ledger/guess.ts`, ledger, {
    'heads-without-their-mac': ['this.hasRowsOf(this.#checked(head))', 'this.hasRowsOf(head)'],
  }),
  ...breaksIn(`${src}/ledger/judge.ts`, [`${src}/ledger/guess.test.ts`], {
    'times-that-go-back': ['Math.max(now, head.created_at), sum', 'now, sum'],
  }),
  ...breaksIn(`${src}/ledger/judge.ts`, [`${src}/ledger/queue.test.ts`], {
    'replaces-without-a-word': ['if (!changes && before.some(Boolean))', 'if (false)'],
  }),
  ...breaksIn(`${src}/ledger/ledger.ts`, [`${src}/ledger/queue.test.ts`], {
    'replaces-what-is-remembered': ['decision.changes === true || ', ''],
  }),
  ...breaksIn(`${src}/ledger/judge.ts`, [`${src}/ledger/guess.test.ts`], {
    'quotas-that-begin-again': ['monthOf(now + aheadOfClock) ? month', 'monthOf(now) ? month'],
  }),
  ...breaksIn(`${src}/ledger/row-macs.ts`, [`${src}/crypto/vectors.test.ts`, ...verify], {
    'sums-without-their-mask': [
      "integerOf(hmac(rowSum, paeView(['eaas row sum",
      "0n * integerOf(hmac(rowSum, paeView(['eaas row sum",
    ],
    'older-rows-put-back': ['stored.newest_rev === record.revOf(row) &&', ''],
  }),
  ...breaksIn(`${src}/crypto/sealing.ts`, [`${src}/rules/wipes.test.ts`], {
    'kept-sealers-left-in-memory': ['kept.get(secret)?.wipe();', ''],
  }),
  ...breaksIn(`${src}/rules/key-crypto.ts`, [`${src}/rules/wipes.test.ts`], {
    'sealers-left-in-memory': ['prepared.wipe();', 'void prepared;'],
  }),
  ...breaksIn(`${src}/rules/authorize.ts`, [`${src}/rules/rules.test.ts`, ...conformance], {
    'expiry-by-the-own-clock': ['?? Infinity) <= now)', '?? Infinity) <= Date.now())'],
    'keys-out-of-reach': ['!apiKey.key_ids.includes(keyId)', 'false'],
  }),
  ...breaksIn(`${src}/rules/api-key-rules.ts`, conformance, {
    'the-last-manager-goes': ['view.all(managers).total > 1', 'view.all(managers).total > 0'],
  }),
  ...breaksIn(`${src}/rules/key-rules.ts`, conformance, {
    'closed-versions-open': [' ?? refusedByAge(key, version);', ';'],
  }),
  ...breaksIn('packages/protocol/src/wire/audit.ts', [`${src}/answer.test.ts`], {
    'verifies-only-an-own-head': ['    ofAnyHead: true,\n', ''],
  }),
  ...breaksIn('packages/protocol/src/wire/subjects.ts', conformance, {
    'reads-that-can-write': ['    readOnly: true,\n', ''],
  }),
  ...breaksIn(`${src}/plugins/people/keying.ts`, conformance, {
    'users-open-what-is-of-nobody': [
      'subject !== signIn.subject;',
      '(subject ?? signIn.subject) !== signIn.subject;',
    ],
    'users-open-plain-keys': ['!signIn.anySubject && presentsPlain', '!signIn.anySubject && !presentsPlain'],
  }),
  ...breaksIn(`${src}/plugins/issuers/token-rules.ts`, conformance, {
    'lifetimes-from-now-on': ['exp - iat >', 'exp - now >'],
    'audiences-that-are-no-text': ["typeof one === 'string'", 'true'],
    'parties-of-anybody': ['authorized_parties?.includes(azp) === true', 'authorized_parties !== undefined'],
  }),
  ...breaksIn(`${src}/plugins/issuers/index.ts`, signIns, {
    'verified-tokens-forgotten': ['if (holds) signatures.set', 'if (!holds) signatures.set'],
    'signatures-of-another-key': [
      'signatures.get(name) === thumbprint ||',
      'signatures.get(name) !== undefined ||',
    ],
  }),
  ...breaksIn(`${src}/verify/verify.ts`, verify, {
    'known-heads-at-the-anchor': ['known.id >= anchor.id', 'known.id > anchor.id'],
    'checkpoints-ahead-hold': ["return 'checkpoint_ahead';", 'return undefined;'],
    'checkpoints-of-a-lost-log-hold': ['sameBytes(hash, stated.hash)', 'true'],
  }),
  ...breaksIn(`${src}/verify/scan-rows.ts`, verify, {
    'second-heads': ['headCount > 1 || ', ''],
  }),
  ...breaksIn(`${src}/verify/entries.ts`, verify, {
    'entries-of-the-future': ['if (time > latest)', 'if (time < 0)'],
    'walks-hold-everybody-up': ['if (service.fair.isOver()) await service', 'if (false) await service'],
  }),
];
