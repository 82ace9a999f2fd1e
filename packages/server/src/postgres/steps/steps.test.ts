import { hash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { expected } from '../catalogue.ts';
import { tenantFunctions } from '../functions.ts';
import { inSubjects, inUsers, isRare } from '../tables.ts';
import { stepFiles } from './index.ts';

// Until 0.1.0 is released, a change of step 1 takes its new SHA-256 here.
const released = ['74a67ea6fa714c4798d624588828e56f04c01f37b047dd741acff41a1cbaf347'];
/** The SHA-256 of the functions that `migrate` makes after the newest of these steps. */
const functions = '1beabfdec6244632f680267a3b1869aec7bf297a0b62077de0fb557fa9af86c6';

const sha256 = (text: string): string => hash('sha256', text);
const steps = stepFiles.map((file) => readFileSync(file, 'utf8'));
const sql = steps.join('\n').replaceAll(/\s+/g, ' ');

test('a released step never changes, because databases keep what it made: put it back, and add a step', () => {
  expect(steps.map(sha256)).toEqual(released);
  expect(readdirSync(import.meta.dirname).filter((name) => name.endsWith('.sql'))).toHaveLength(steps.length);
});

test('functions change with a step, even an empty one, because servers of the release start only beside theirs', () => {
  expect(sha256(tenantFunctions(expected))).toBe(functions);
});

test.each([
  ['the index of rare actions', `(tenant_id, action, id) where ${isRare};`],
  ['the blocks of frequent actions', `case when not (${isRare}) then`],
  ['the index of subjects', `(tenant_id, ${inSubjects.id}, id) where ${inSubjects.mayName};`],
  ['the index of users', `(tenant_id, ${inUsers.id}, id) where ${inUsers.mayName};`],
])('a database of an earlier release has %s that statements ask for: another needs a step', (_, text) => {
  expect(sql).toContain(text);
});
