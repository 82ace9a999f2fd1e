import { expect, test } from 'vitest';
import { isTurn } from './verify-nightly.ts';

const nights = 30;
const tenantId = '8a3f0c11-0000-4000-8000-000000000001';

test('each log is verified whole in one of 30 nights, and after the clock was set back', () => {
  const turns = Array.from({ length: nights }, (_, nth) => isTurn(tenantId, 20_000 + nth, 20_001 + nth));
  expect(turns.filter(Boolean)).toHaveLength(1);
  expect(isTurn(tenantId, 20_000, 20_000 + nights)).toBe(true);
  expect(isTurn(tenantId, 20_001, 20_000)).toBe(true);
});
