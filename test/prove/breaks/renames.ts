// Breaks of what is promised about stored data when a field gets another name, and when an app leaves Eaas.
import { breaksIn } from '../breaks.ts';

const fields = 'packages/sdk/src/fields';
const renamed = [`${fields}/renamed.test.ts`];
const leave = ['packages/migrate/test/leave.service.test.ts'];

export const breaks = [
  ...breaksIn(`${fields}/plan.ts`, renamed, {
    'writes-that-the-version-before-cannot-read': ['(!write && earlier[0]) || present', 'present'],
    'lasting-fingerprints-under-a-new-name': ['boundTo ? [boundTo] : names', 'names'],
    'parts-without-their-earlier-names': ['field.names.map((', 'field.names.slice(0, 1).map(('],
    'a-name-of-two-fields': ['names.map(placeOf));', 'names.slice(0, 1).map(placeOf));'],
    'a-rename-that-joins-miss': ['named.names.length > 1', 'named.names.length > 2'],
  }),
  ...breaksIn(`${fields}/core.ts`, ['packages/drizzle/src/renamed.test.ts'], {
    'a-rename-past-a-unique-index': ['own.labels.length > 1', 'own.labels.length > 2'],
  }),
  ...breaksIn(`${fields}/compared.ts`, ['packages/drizzle/src/renamed.test.ts'], {
    'a-join-of-several-names': ['isJoined(one, other) &&', 'one.table !== other.name &&'],
  }),
  ...breaksIn(`${fields}/fingerprints.ts`, renamed, {
    'searches-by-one-name': ['plan.labels.map(', 'plan.labels.slice(0, 1).map('],
  }),
  ...breaksIn(`${fields}/decrypt-rows.ts`, renamed, {
    'values-by-one-name': ['plan.names.map((name)', 'plan.names.slice(0, 1).map((name)'],
  }),
  ...breaksIn('packages/migrate/src/encrypting.ts', leave, {
    'values-left-under-an-earlier-name': ['field.renamedFrom && field.write)', 'field.renamedFrom && false)'],
    'plaintext-that-is-not-read-again': ['!isKept(each, proof.value)', 'false'],
    'erased-values-called-decrypted': ['return leaveErased ?', 'return leaveErased || id ?'],
  }),
  ...breaksIn('packages/migrate/src/migrate.ts', leave, {
    'plaintext-past-a-check': [`check.includes("'eaasA")`, 'check.length < 0'],
    'decrypts-what-the-app-still-encrypts': ['if (other && mode', 'if (other && !isDecrypted && mode'],
  }),
  ...breaksIn('packages/migrate/src/table.ts', leave, {
    'a-unique-index-of-two-names': ['?.isInUnique) continue;', '?.isUnique) continue;'],
  }),
];
