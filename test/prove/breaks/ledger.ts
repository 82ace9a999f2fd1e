// The planted bugs of the ledger's model (docs/design/ledger.pml), in the code, and more that only an order of events shows: the
// simulation notices each. What the model calls UNLOCKED and HASH is up to a store, so it is put into the simulated one. The code
// cannot have HEAD_HASH and HEAD_SUM, because a link names its head by id and MAC; PURGE_NEW is a matter of the server's SQL.
import { breaksIn } from '../breaks.ts';

const src = 'packages/service/src';
const simulation = ['packages/service/test/simulation.test.ts'];
const follow = [`${src}/ledger/follow.test.ts`, `${src}/ledger/ledger.test.ts`];

const remembered = [`${src}/ledger/head-memory.test.ts`];

export const breaks = [
  ...breaksIn('packages/local/src/memory-store.ts', simulation, {
    'no-cas': [
      'tenant?.head.id !== expected.id || compare(tenant.head.mac, expected.mac) !== 0',
      'tenant === undefined',
    ],
    position: [' || compare(tenant.head.mac, expected.mac) !== 0', ''],
  }),
  ...breaksIn('packages/local/src/memory-store.ts', [`${src}/ledger/queue.test.ts`], {
    'any-time': [' || link.now < time - 10 * second', ''],
  }),
  ...breaksIn(`${src}/ledger/tenant-cache.ts`, simulation, {
    rows: ['isSame || guess.hasRowsOf(head)))', 'true))'],
    'untold-losses-before': ['if (isLost) this.#tellWentBack(seen, known.head);', ''],
  }),
  ...breaksIn(`${src}/ledger/tenant-cache.ts`, follow, {
    'untold-losses-at-the-same-id': [' || (head.id === before.id && !isSame)', ''],
    'follows-an-older-head': ['head.id <= expected.id || (head.id', 'false || (head.id'],
    'follows-another-head-at-its-id': [' || (head.id === guess.head.id && !sameHead(head, guess.head))', ''],
    'a-late-head-takes-the-lock': [
      'if (head.id <= guess.head.id) return true;',
      'if (head.id <= guess.head.id) return false;',
    ],
    'forgets-the-heads-of-the-second': ['if (rest > 0) {', 'if (rest > 0) {\n      this.#unchecked = [];'],
    'looks-once-at-a-database-that-is-away': ['this.#keepUnchecked(heads);\n      this.#lookWhenDue();', ''],
    'tells-the-loss-of-the-head-that-came': [
      'this.sawForeignAppend();\n    if (!guess.follow(head)) return false;\n    this.#see(head);',
      'if (!guess.follow(head)) return false;\n    this.#see(head);\n    this.sawForeignAppend();',
    ],
    'lives-on-by-following': [
      'this.#see(head);\n    return true;',
      'this.ledger.guesses.set(this.tenantId, guess, guess.bytes);\n    this.#see(head);\n    return true;',
    ],
  }),
  ...breaksIn(`${src}/ledger/head-memory.ts`, remembered, {
    'a-shorter-log-is-the-same': ["if (newestId < seen.id) return 'lost';", ''],
    'any-entry-is-the-remembered-one': [
      "sameBytes((entry.row as EntryRow).hash, seen.hash) ? 'there' : 'lost'",
      "'there'",
    ],
    'what-is-absent-was-purged': ["purgedThrough(guess) >= seen.id ? 'purged' : 'lost'", "'purged'"],
  }),
  ...breaksIn(`${src}/ledger/tenant-cache.ts`, remembered, {
    'remembers-a-log-that-lacks-it': [
      "this.#hasRememberedEntry = found !== 'lost'",
      'this.#hasRememberedEntry = true',
    ],
    'looks-for-it-in-another-snapshot': [
      'this.guess ? undefined : headMemory?.get',
      'headMemory ? undefined : this.ledger.headMemory?.get',
    ],
    'lists-tell-no-loss': [
      'if (seen && known.head && isBehind(known.head, seen))',
      'if (false && seen && known.head)',
    ],
  }),
  ...breaksIn('packages/server/src/state/head-file.ts', ['packages/server/src/state/head-file.test.ts'], {
    'an-older-head-takes-its-place': ['if (known && known.id >= id) return;', ''],
    'writes-without-the-lock': ['if (!hasLock) {', 'if (false) {'],
    'forgets-what-was-not-written': ['this.#keepUnwritten(heads);', ''],
  }),
  ...breaksIn(
    'packages/server/src/state/directory-lock.ts',
    ['packages/server/src/state/head-file.test.ts'],
    {
      'takes-the-lock-of-one-that-runs': ['if (now !== before) return false;', ''],
      'waits-for-the-dead': ['await ifExists(rename(path, abandoned));', 'return false;'],
    },
  ),
  ...breaksIn(`${src}/ledger/guess.ts`, follow, {
    'follows-other-rows': ['if (!this.hasRowsOf(this.#checked(head))) return false;', 'this.#checked(head);'],
    'follows-with-the-quota-of-before': [
      'this.head = head;\n    this.blocks',
      'this.head = { ...head, encrypts: this.head.encrypts };\n    this.blocks',
    ],
    'keeps-blocks-of-before': [
      'this.blocks.clear();\n    for (const name of this.#loose)',
      'for (const name of this.#loose)',
    ],
    'keeps-what-was-read-beside': ['for (const name of this.#loose) this.#found.delete(name);', ''],
  }),
  ...breaksIn(`${src}/ledger/queue.ts`, follow, {
    'follows-for-ever': ['const mostMoves = 3;', 'const mostMoves = 30;'],
    'takes-the-lock-at-once': ['lost, moves + 1);', 'lost, mostMoves);'],
    'lets-newcomers-wait': ['[...batch, ...this.#waiting.splice(0)]', 'batch'],
  }),
  ...breaksIn('packages/protocol/src/bytes.ts', simulation, {
    'draws-the-same-again': ['used += length;', ''],
  }),
  ...breaksIn(`${src}/ledger/link.ts`, simulation, {
    'nonces-twice': ['nonce: draw().slice() };', 'nonce: new Uint8Array(16) };'],
  }),
  ...breaksIn(`${src}/ledger/shared-read.ts`, simulation, {
    'shared-read': [
      '    if (!this.#latest ||',
      '    if (this.#isRunning && this.#latest) return this.#latest;\n    if (!this.#latest ||',
    ],
  }),
  ...breaksIn(`${src}/plugins/people/keying.ts`, simulation, {
    absent: [
      'const row = view.find(subjects, id);\n    if (!row && verb',
      'const row = newcomers.has(id) ? null : view.find(subjects, id);\n    if (!row && verb',
    ],
  }),
  ...breaksIn(`${src}/ledger/ledger.ts`, simulation, {
    'read-guess': [
      'const guess = await cache.read(before',
      'const guess = (round === 1 && before) || await cache.read(before',
    ],
  }),
  ...breaksIn(`${src}/ledger/queue.ts`, simulation, {
    early: ["if ('needs' in outcome) here[nth]?.settle(outcome);", 'here[nth]?.settle(outcome);'],
    resend: ['(batch, [...lost, ...also])', '(batch, [])'],
    forget: ['(batch, [...lost, ...also])', '(batch, also)'],
    'forget-but-the-last': ['(batch, [...lost, ...also])', '(batch, also.length > 0 ? also : lost)'],
    'two-steps': [
      'if (attempt) return undefined;',
      'if (attempt) return undefined;\n      if (lost.length > 0) return void (lost as Attempt[]).splice(0);',
    ],
    'patient-under-the-lock': [
      'const staying = batch.filter(({ isGone }) => !isGone);\n      if (staying.length === 0) return undefined;',
      'const staying = batch;',
    ],
  }),
  ...breaksIn(`${src}/ledger/queue.ts`, [`${src}/ledger/ledger.test.ts`], {
    patient: ['const here = batch.filter(({ isGone }) => !isGone);', 'const here = batch;'],
    elsewhere: ['...replacedBy(attempt), ...lacked]', '...replacedBy(attempt)]'],
    'elsewhere-unprepared': [
      'const isLost = lost.length > 0 && attempt?.link === undefined;',
      'const isLost = false;',
    ],
  }),
  ...breaksIn('packages/service/test/simulation/database.ts', simulation, {
    unlocked: ['await this.#lock(session);\n          const { nonces }', 'const { nonces }'],
    hash: [
      'lost.find(isWritten)',
      'lost.find(({ expected }) => isWritten.length > 0 && nonces.has(expected.id + 1))',
    ],
  }),
];
