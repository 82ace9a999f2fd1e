// Breaks of what is promised about stored data when a field gets another name, and when an app leaves Eaas.
import { breaksIn } from '../breaks.ts';

const fields = 'packages/sdk/src/fields';
const renamed = [`${fields}/renamed.test.ts`];
const leave = ['packages/migrate/test/leave.service.test.ts'];

export const breaks = [
  ...breaksIn(`${fields}/plan.ts`, renamed, {
    'writes-that-the-version-before-cannot-read': ['(!write && earlier[0]) || present', 'present'],
    'lasting-fingerprints-under-a-new-name': ['boundTo ? [boundTo] : names', 'names'],
    'parts-without-their-earlier-names': [
      'field.names.map((each) => labelOf(',
      'field.names.slice(0, 1).map((each) => labelOf(',
    ],
    'a-name-of-two-fields': [
      'fields.flatMap(({ names }) => names.map(placeOf))',
      'fields.map(({ place }) => place)',
    ],
    'a-rename-that-joins-miss': ['names.length > 1 && field.index &&', 'names.length > 2 && field.index &&'],
    'a-rename-past-a-unique-index': ['if (!needed || !field.index ||', 'if (needed || !field.index ||'],
  }),
  ...breaksIn(`${fields}/fingerprints.ts`, renamed, {
    'searches-by-one-name': ['subject.plan.labels.map(', 'subject.plan.labels.slice(0, 1).map('],
  }),
  ...breaksIn(`${fields}/decrypt-rows.ts`, renamed, {
    'values-by-one-name': ['plan.names.map((name)', 'plan.names.slice(0, 1).map((name)'],
  }),
  ...breaksIn('packages/migrate/src/encrypting.ts', leave, {
    'values-left-under-an-earlier-name': ['field.renamedFrom && field.write;', 'field.renamedFrom && false;'],
    'plaintext-that-is-not-read-again': ['!isKept(each, proof.value)', 'false'],
    'erased-values-called-decrypted': ['return leaveErased ?', 'return leaveErased || id ?'],
  }),
  ...breaksIn('packages/migrate/src/migrate.ts', leave, {
    'plaintext-past-a-check': [`check.includes("'eaasA")`, 'check.length < 0'],
    'decrypts-what-the-app-still-encrypts': [
      "if (other && mode !== 'index')",
      'if (other && !/index|decrypt/.test(mode))',
    ],
  }),
  ...breaksIn('packages/migrate/src/table.ts', leave, {
    'a-unique-index-of-two-names': ['?.isInUnique) continue;', '?.isUnique) continue;'],
  }),
];
