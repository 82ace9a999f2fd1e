// The planted bugs of the ledger's model (docs/design/ledger.pml), in the code, and more that only an order of events shows: the
// simulation notices each. What the model calls UNLOCKED and HASH is up to a store, so it is put into the simulated one. The code
// cannot have HEAD_HASH and HEAD_SUM, because a link names its head by id and MAC; PURGE_NEW is a matter of the server's SQL.
import { breaksIn } from '../breaks.ts';

const src = 'packages/service/src';
const simulation = ['packages/service/test/simulation.test.ts'];

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
  ...breaksIn(`${src}/ledger/place.ts`, simulation, {
    rows: ['if (guess && (isSame || guess.hasRowsOf(head)))', 'if (guess)'],
    'untold-losses-at-the-same-id': [' || (head.id === before.id && !isSame)', ''],
    'untold-losses-before': ['if (!this.hasOthers && this.#newest) void', 'if (!this.#newest) void'],
  }),
  ...breaksIn(`${src}/ledger/shared-read.ts`, simulation, {
    'shared-read': [
      '    this.#next ??=',
      '    if (this.#isRunning && asked.length === 0) return this.#latest as Promise<Found>;\n    this.#next ??=',
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
      'const guess = await place.read(before',
      'const guess = (round === 0 && before) || await place.read(before',
    ],
  }),
  ...breaksIn(`${src}/ledger/queue.ts`, simulation, {
    early: ["if (outcome.is === 'again') here[nth]?.settle(outcome);", 'here[nth]?.settle(outcome);'],
    resend: ['(batch, [...lost, ...also])', '(batch, [])'],
    forget: ['(batch, [...lost, ...also])', '(batch, also)'],
    'forget-but-the-last': ['(batch, [...lost, ...also])', '(batch, also.length > 0 ? also : lost)'],
    'two-steps': [
      'if (judged) return undefined;',
      'if (judged) return undefined;\n      if (lost.length > 0) return void (lost as Lost[]).splice(0);',
    ],
    'patient-under-the-lock': [
      'const staying = batch.filter(({ isGone }) => !isGone);\n      if (staying.length === 0) return undefined;',
      'const staying = batch;',
    ],
  }),
  ...breaksIn(`${src}/ledger/queue.ts`, [`${src}/ledger/ledger.test.ts`], {
    patient: ['const here = batch.filter(({ isGone }) => !isGone);', 'const here = batch;'],
    elsewhere: ['if (lost.length === 0 || !judged', 'if (lost.length < Infinity || !judged'],
  }),
  ...breaksIn('packages/service/test/simulation/database.ts', simulation, {
    unlocked: ['await this.#lock(session);\n          const { nonces }', 'const { nonces }'],
    hash: [
      'lost.find(({ firstId, nonce }) => compare(nonces.get(firstId), nonce) === 0)',
      'lost.find(({ firstId }) => nonces.has(firstId))',
    ],
  }),
];
