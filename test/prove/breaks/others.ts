// Breaks of the local service, of migrations, of the ORMs, and of audits and the public log.
import { breaksIn } from '../breaks.ts';

const [local, migrate, log] = ['packages/local/src', 'packages/migrate/src', 'packages/log/src'];
const [drizzle, prisma, audit] = ['packages/drizzle/src', 'packages/prisma/src', 'packages/audit/src'];

export const breaks = [
  ...breaksIn(`${local}/key-file-format.ts`, [`${local}/key-file.test.ts`], {
    'lock-keys-left-in-memory': ['key?.fill(0);\n  return', 'return'],
    'lock-keys-left-after-opening': ['key?.fill(0);\n  if', 'if'],
    'edited-key-files': ['!sameBytes(found, macOf(content, secret, tenantId))', 'false'],
  }),
  ...breaksIn(`${local}/sealed.ts`, [`${local}/sealed.test.ts`], {
    'versions-before-their-time': [
      'findLastIndex((from) => from <= now())',
      'findLastIndex((from) => from <= Infinity)',
    ],
  }),
  ...breaksIn(`${migrate}/passes.ts`, [`${migrate}/passes.test.ts`], {
    'failures-that-were-converted': [
      'if (found.length === 0) failures.delete(id);',
      'if (found.length === 0) continue;',
    ],
  }),
  ...breaksIn(`${migrate}/dialects.ts`, ['packages/migrate/test/encrypt.service.test.ts'], {
    'writes-over-what-the-app-changed': ['is not distinct from ${cell} `', 'is distinct from chr(1) `'],
  }),
  ...breaksIn(`${migrate}/adopt/command.ts`, [`${migrate}/adopt/command.service.test.ts`], {
    'adopt-goes-on-after-a-failure': ['&& tried.failures[0]) stop(', '&& tried.failures[99]) stop('],
  }),
  ...breaksIn(`${migrate}/migrate.ts`, ['packages/migrate/test/stages.service.test.ts'], {
    'ciphertexts-for-a-version-before': ["if (other && mode !== 'index')", "if (other && mode === 'rewrap')"],
  }),
  ...breaksIn(`${drizzle}/walk.ts`, [`${drizzle}/older.test.ts`], {
    'fingerprints-of-what-another-version-changed': [
      'return sealedLike === undefined\n',
      'return sealedLike === undefined || column\n',
    ],
  }),
  ...breaksIn(`${prisma}/filter.ts`, [`${prisma}/older.test.ts`], {
    'other-versions-whose-changes-count-by-fingerprint': [
      'isSealed ? { AND: [isSealed, found] } : found',
      'found',
    ],
  }),
  ...breaksIn(`${drizzle}/database.ts`, [`${drizzle}/replicas.test.ts`], {
    'writes-that-depend-on-a-replica': ['isSync, primary as Methods', 'isSync, database as Methods'],
  }),
  ...breaksIn(`${local}/secret.ts`, [`${local}/secret.test.ts`], {
    'secrets-that-a-person-typed': ['.some(isTyped)) return', '.every(isTyped)) return'],
  }),
  ...breaksIn(`${migrate}/rewrap.ts`, [`${migrate}/rewrap.test.ts`], {
    'unsound-wrapped-keys': ['(!isSound || wrapped.keyId !== keyId)', 'wrapped.keyId !== keyId'],
  }),
  ...breaksIn(`${drizzle}/writes.ts`, [`${drizzle}/subject.test.ts`, `${drizzle}/statements.test.ts`], {
    'ids-that-an-update-changes': ['if (bound && id && isChanged(id))', 'if (bound && !id)'],
    'people-whom-an-update-changes': [
      'if (!person.some(isChanged)) return;',
      'if (!person.every(isChanged) || id) return;',
    ],
  }),
  ...breaksIn(
    'packages/sdk/src/fields/core.ts',
    [`${drizzle}/contract.test.ts`, `${prisma}/contract.test.ts`],
    {
      'rows-without-a-person': ['if (missing === undefined) return;', 'if (missing !== 0) return;'],
      'users-after-the-query': ['if (!client[inside]?.needsUser ||', 'if (client[inside]?.needsUser ||'],
      'searches-by-short-fingerprints': ['if (bits >= least) return', 'if (bits >= 0) return'],
    },
  ),
  ...breaksIn(`${prisma}/writes.ts`, [`${prisma}/person.test.ts`], {
    'rows-of-another-person-connected': ['undefined, person), create', 'undefined), create'],
  }),
  ...breaksIn(`${prisma}/person.ts`, [`${prisma}/person.test.ts`], {
    'people-whatever-their-case': ['isExact ? id : undefined', 'id'],
  }),
  ...breaksIn(`${audit}/check.ts`, [`${audit}/check.test.ts`, `${audit}/public-log.test.ts`], {
    'moments-of-the-future-unwitnessed': [
      'Math.abs(Date.now() - statedHead(proof).time)',
      'Date.now() - statedHead(proof).time',
    ],
    'keys-that-changed': ['if (verifier_key !== pinned)', 'if (!pinned)'],
  }),
  ...breaksIn(`${audit}/walk.ts`, [`${audit}/verify-log.test.ts`], {
    'logs-that-end-too-early': ['if (chain.next <= to.id && !walk', 'if (!chain.next && !walk'],
  }),
  ...breaksIn(`${audit}/walk.ts`, [`${audit}/page/verdict.test.ts`], {
    'changed-entries-of-a-folder': [
      'entry.tenant_id !== tenantId || found.isAltered',
      'entry.tenant_id !== tenantId',
    ],
    'entries-left-out-of-a-folder': ['if (missing > 0) {', 'if (missing > 99) {'],
    'entries-twice-in-a-folder': ['if (id <= newest) addFinding', 'if (id < 0) addFinding'],
  }),
  ...breaksIn(`${audit}/verify-file.ts`, [`${audit}/page/verdict.test.ts`], {
    'members-that-no-hash-covers': ['!isHidden(value) && !isExact(value)', '!isHidden(value) && !value'],
    'heads-of-another-tenant': ["if (of !== tenantId) return 'of_other_tenant';", ''],
    'heads-after-the-end-of-a-folder': ["if (id > last.id) return 'ahead';", ''],
  }),
  ...breaksIn(`${audit}/page/verdict.ts`, [`${audit}/page/verdict.test.ts`], {
    'logs-written-anew': [" || compared.includes('other')", ''],
    'checkpoints-that-the-sender-brings': [
      'of kept.checkpoints)',
      'of [...kept.checkpoints, ...given.checkpoints])',
    ],
    'witnesses-that-the-sender-names': ["kept.policy === undefined ? 'sender' : 'witnessed'", "'witnessed'"],
    'entries-that-nobody-else-knows': ['if (best && best.id < last.id)', 'if (best && best.id > last.id)'],
    'hidden-entries-unsaid': ['if (hidden > 0)', 'if (hidden < 0)'],
    'a-beginning-that-was-cut': ['if (first.id > 1 && !before)', 'if (first.id > 1 && before)'],
  }),
  ...breaksIn('packages/protocol/src/log/proof.ts', [`${audit}/page/verdict.test.ts`], {
    'too-few-witnesses': ["refuse('proof_quorum'", "void ('proof_quorum'"],
  }),
  ...breaksIn(`${log}/witnesses.ts`, [`${log}/witnesses.test.ts`], {
    'witnesses-by-their-names-alone': ['key.name === name && key.keyId === keyId', 'key.name === name'],
  }),
];
