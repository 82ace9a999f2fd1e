import { describe, expect, test } from 'vitest';
import { expectNothingRecorded, newTenant } from '@eaas/test-kit/fixture';

const origin = 'https://app.example';
const tenant = await newTenant('--envelope-only', 'true');
const allowed_origins = [origin, 'http://localhost:5173', 'https://app.example:8443'];
const browser = (await tenant.issue({ permissions: ['encrypt', 'keys.read'], allowed_origins })).api;

const from = (value: string) => ({ headers: { origin: value } });

test.for(allowed_origins)('a request from a listed origin succeeds: %s', async (listed) => {
  expect(await browser.get('/v1/keys', from(listed))).toHaveStatus(200);
});

test.for([
  'https://evil.example',
  'http://app.example',
  'https://sub.app.example',
  'https://app.example/',
  'null',
  '*',
])('a request with the Origin %s is refused', async (other) => {
  await expectNothingRecorded(tenant, async () => {
    expect(await browser.get('/v1/keys', from(other))).toBeProblem('origin_refused');
  });
});

test('an API key without allowed origins works only for requests without an `Origin` header', async () => {
  expect(await tenant.api.get('/v1/keys', from(origin))).toBeProblem('origin_refused');
  expect(await tenant.api.get('/v1/keys')).toHaveStatus(200);
  expect(await browser.get('/v1/keys')).toHaveStatus(200);
});

describe('allowed_origins', () => {
  test.for([
    '*',
    'https://*.example',
    'https://app.example/',
    'https://app.example:443',
    'HTTPS://app.example',
    'https://user@app.example',
    'https://bücher.example',
    'app.example',
    ' https://app.example',
  ])('allowed_origins cannot contain %j', async (text) => {
    const body = { name: 'browser', permissions: ['encrypt'], allowed_origins: [text] };
    expect(await tenant.api.post('/v1/api-keys', body)).toBeProblem('bad_request', /allowed_origins/);
  });

  test.for(['keys.manage', 'api_keys.manage', 'keys.destroy', 'keys.export', 'subjects.erase'])(
    'allowed_origins cannot be combined with %s, on creation or later',
    async (permission) => {
      const body = { name: 'browser', permissions: ['encrypt', permission], allowed_origins: [origin] };
      expect(await tenant.api.post('/v1/api-keys', body)).toBeProblem('bad_request');
      const serving = await tenant.issue({ permissions: [permission] });
      const path = `/v1/api-keys/${serving.record.api_key_id}` as const;
      expect(await tenant.api.patch(path, { allowed_origins: [origin] })).toBeProblem('bad_request');
      const browsing = await tenant.issue({ permissions: ['encrypt'], allowed_origins: [origin] });
      const other = `/v1/api-keys/${browsing.record.api_key_id}` as const;
      expect(await tenant.api.patch(other, { permissions: [permission] })).toBeProblem('bad_request');
    },
  );
});
