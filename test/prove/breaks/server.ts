// Breaks of the server: its jobs, its SQL, its turns and what it fetches.
import { breaksIn } from '../breaks.ts';

const src = 'packages/server/src';
const purge = [`${src}/jobs/purge.service.test.ts`];
const store = [`${src}/postgres/postgres-store.service.test.ts`];
const database = [`${src}/postgres/database.service.test.ts`];
const api = [`${src}/http/api.test.ts`];
const schema = ['steps/steps', 'steps/catalogue.service', 'catalogue.service'].map(
  (name) => `${src}/postgres/${name}.test.ts`,
);
const started = ['packages/cli/test/faults.service.test.ts'];
const keyHosts = [`${src}/plugins/key-hosts.test.ts`];

const recordedSchema = ['packages/server/test/tampering/schema.service.test.ts'];

export const breaks = [
  ...breaksIn(`${src}/jobs/purge.ts`, purge, {
    'purges-without-the-lock': ['${tenantId} for update`', '${tenantId}`'],
    'purges-of-one-more': ['created_at >= ${before}) - 1', 'created_at >= ${before})'],
    'purges-of-a-broken-log': ['!end || errors.length > 0)', '!end)'],
  }),
  ...breaksIn(`${src}/operator/tenants.ts`, purge, {
    'tenants-destroyed-without-the-lock': ['${tenantId} for update`', '${tenantId}`'],
  }),
  ...breaksIn(`${src}/jobs/due-keys.ts`, [`${src}/jobs/due-keys.service.test.ts`], {
    'destroyed-keys-due-for-ever': [" and status = 'pending_destruction')", ')'],
    'one-tenant-holds-the-others-up': ['order by is_full, turn', 'order by is_full, turn desc'],
  }),
  ...breaksIn(`${src}/jobs/clock.ts`, [`${src}/jobs/clock.test.ts`], {
    'clocks-that-are-behind': ['Math.abs(ahead) <= 60_000', 'ahead <= 60_000'],
  }),
  ...breaksIn(`${src}/jobs/fold-tallies.ts`, [`${src}/jobs/fold-tallies.service.test.ts`], {
    'folds-without-the-sign-of-purged': ['sum(sign * purged)', 'sum(purged)'],
  }),
  ...breaksIn(`${src}/postgres/postgres-store.ts`, store, {
    'judged-after-the-caller-got-an-error': ['if (left < 1)', 'if (left < -Infinity)'],
  }),
  ...breaksIn(`${src}/postgres/functions.ts`, store, {
    'appends-behind-any-head': ['id = expected_id and mac = expected_mac;', 'id = expected_id;'],
    'appends-together-behind-any-head': [' and mac = own.expected_mac\n', '\n'],
    'appends-together-at-any-time': ['\n    where ${isTimely}\n', '\n'],
    'one-locked-tenant-holds-all-up': ['for update skip locked', 'for update'],
    'moved-without-the-head': [' and mac <> own.expected_mac', ' and false'],
  }),
  ...breaksIn(`${src}/postgres/platform.ts`, [`${src}/postgres/platform.test.ts`], {
    'sent-again-after-a-lost-answer': ['if (error instanceof LinkRefused) this', 'if (error) this'],
    'two-of-a-tenant-together': [' || this.#waiting.has(tenantId))', ')'],
    'one-that-hangs-holds-all-up': ['timeLimit(late)', 'timeLimit(30 * late)'],
    'outcomes-of-the-wrong-tenant': [
      'const { [nth]: known } = appended;',
      'const known = appended[(nth + 1) % leaving.length];',
    ],
    'time-from-the-statement-on': [
      'this.#ways.alone(one, one.deadline)',
      'this.#ways.alone(one, performance.now() + timeLimit(5_000))',
    ],
  }),
  ...breaksIn(`${src}/postgres/append.ts`, store, {
    'seals-of-another-tenant': ['skipped += seals.length / 80;', ''],
  }),
  ...breaksIn(`${src}/postgres/query.ts`, store, {
    'rows-of-any-tenant': ['where tenant_id = ${tenantId} ${joined(same)}', 'where true ${joined(same)}'],
  }),
  ...breaksIn(`${src}/postgres/steps/1.sql`, schema, {
    'the-table-of-steps-renamed': ['create table eaas.steps (', 'create table eaas.applied ('],
    'a-column-renamed-in-a-released-step': ['min_version bigint', 'least_version bigint'],
    'a-type-changed-in-a-released-step': ['interval_days integer', 'interval_days bigint'],
    'an-index-predicate-changed': [" where status <> 'destroyed';", ';'],
    'a-trigger-dropped': ['create trigger tenants_no_truncate before', 'create trigger tenants_full before'],
    'a-function-of-a-step-changed': ["if tg_op = 'DELETE' and", "if tg_op = 'DELETE' or"],
  }),
  ...breaksIn(`${src}/postgres/functions.ts`, schema, {
    'a-function-changed-without-a-step': [' and old.rev < newer.rev', ' and old.rev <> newer.rev'],
  }),
  ...breaksIn('packages/service/src/ledger/blocks.ts', schema, {
    'a-frequent-action-without-a-step': ["'encrypt', 'decrypt']", "'encrypt', 'decrypt', 'hash']"],
  }),
  ...breaksIn(`${src}/postgres/checks.ts`, started, {
    'unreleased-data-that-start': ["to_regclass('eaas.migrations')", "to_regclass('eaas.migration')"],
  }),
  ...breaksIn(`${src}/app/open-service.ts`, started, {
    'servers-that-compare-nothing': ["if (purpose === 'serve') {", "if (purpose === 'command') {"],
  }),
  ...breaksIn(`${src}/postgres/catalogue.ts`, schema, {
    'compares-no-types': ['format_type(atttypid, atttypmod)', "''"],
    'intruders-do-no-harm': ['const intruders = isUnknown ? []', 'const intruders = isUnknown || true ? []'],
    'allows-everything': ['allow.includes(ownNameOf(name))', 'allow.length > 0'],
    'older-servers-without-what-they-need': ['!/table|column|function/.test(kind)', 'true'],
  }),
  ...breaksIn(`${src}/postgres/migrate.ts`, schema, {
    'migrate-over-functions-of-a-later-step': ['done <= latest && faults', 'faults'],
  }),
  ...breaksIn(`${src}/postgres/migrate.ts`, recordedSchema, {
    'takes-a-claimed-version-for-known': [
      'const isUnknown = isNewer && recorded === undefined;',
      'const isUnknown = isNewer && recorded === null;',
    ],
    'compares-with-its-own-schema': ['expected: recorded ?? expected', 'expected: expected'],
  }),
  ...breaksIn(`${src}/postgres/schema-records.ts`, recordedSchema, {
    'believes-any-record': [
      'return checked && (JSON.parse(checked.catalogue)',
      'return row && (JSON.parse(row.catalogue)',
    ],
    'leaves-the-record-of-another-root-key': [
      'if (await recordedCatalogue(sql, step, [root])) return;',
      'if ((await sql`select from eaas.schema_records`).count > 0) return;',
    ],
  }),
  ...breaksIn(`${src}/postgres/database.ts`, database, {
    'no-deadlines': [
      'setTimeout(giveUp, milliseconds);\n    const stop',
      'setTimeout(giveUp, 10 * milliseconds);\n    const stop',
    ],
    'dead-connections-stay': ['filter(({ answeredAt }) => answeredAt >= since)', 'filter(() => true)'],
  }),
  ...breaksIn('packages/service/src/answer.ts', api, {
    'bodies-without-a-share': ['this.#door.enter(tenantId, whole, () => this.#try(then))', 'this.#try(then)'],
    'calls-that-never-fit': ['mostCost = 33', 'mostCost = 129'],
  }),
  ...breaksIn('packages/protocol/src/wire/api-keys.ts', api, {
    'lists-shown-without-a-share': ['cost: 33', 'cost: 1'],
  }),
  ...breaksIn(`${src}/http/app.ts`, [`${src}/http/pages.test.ts`], {
    'strangers-without-a-share': ['else void enter(fair, request).then(() => done(), done)', 'else done()'],
  }),
  ...breaksIn(`${src}/fair.ts`, [`${src}/fair.test.ts`], {
    'one-tenant-takes-all': ['&& (held === 0 || held + cost', '&& (held >= 0 || held + cost'],
  }),
  ...breaksIn(`${src}/plugins/key-hosts.ts`, keyHosts, {
    'one-public-address-is-enough': ['!addresses.every(', '!addresses.some('],
  }),
  ...breaksIn(`${src}/base/ask-host.ts`, keyHosts, {
    'key-sets-without-a-size': ['if (length > longest)', 'if (length > Infinity)'],
  }),
  ...breaksIn(`${src}/plugins/key-sets.ts`, [`${src}/plugins/sign-ins.service.test.ts`], {
    'fetched-keys-count-for-a-second': ['usable = 86_400_000', 'usable = 1_000'],
  }),
];
