import { expect, test } from 'vitest';
import { Tallies } from './tallies.ts';

const [wrap, unwrap, decrypt] = [
  { action: 'key.wrap' },
  { action: 'key.unwrap' },
  { action: 'decrypt' },
] as const;
const newTenant = () => ({ minute: 0, count: 0 });
const atMinute = (minute: number, second = 0): number => minute * 60_000 + second * 1_000;

test('entries are counted by their action', () => {
  const tallies = new Tallies();
  tallies.add(newTenant(), [wrap, wrap, unwrap, wrap], atMinute(7));
  tallies.add(newTenant(), [wrap], atMinute(8));
  tallies.add(newTenant(), [], atMinute(8));
  expect(tallies.byAction.get('key.wrap')).toBe(4);
  expect(tallies.byAction.get('key.unwrap')).toBe(1);
  expect(tallies.byAction.get('decrypt')).toBe(0);
});

test('the busiest tenant is the tenant with the most unwraps in the last full minute', () => {
  const tallies = new Tallies();
  const [quiet, busy] = [newTenant(), newTenant()];
  tallies.add(quiet, [unwrap, wrap, wrap, wrap, wrap], atMinute(7));
  tallies.add(busy, [unwrap, decrypt], atMinute(7, 20));
  tallies.add(busy, [unwrap], atMinute(7, 40));
  expect(tallies.busiest(atMinute(7, 59))).toBe(0);
  expect(tallies.busiest(atMinute(8))).toBe(3);
  tallies.add(busy, [unwrap], atMinute(8, 10));
  expect(tallies.busiest(atMinute(8, 59))).toBe(3);
  expect(tallies.busiest(atMinute(9))).toBe(1);
});

test('after a minute without unwraps, the busiest tenant has 0 unwraps', () => {
  const tallies = new Tallies();
  tallies.add(newTenant(), [unwrap], atMinute(7));
  expect(tallies.busiest(atMinute(9))).toBe(0);
});
