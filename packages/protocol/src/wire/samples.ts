// The values in the examples of the reference. They are consistent with each other, and belong to no service.
const keyId = '7d2f6c1e-94b0-4a58-b1c3-0e5a9d8f4427';
const apiKeyId = 'ecab54d1-2d80-4ece-a973-2bfa63124c5c';

export const samples = {
  keyId,
  tenantId: 'fc55d0c1-48e1-4d0a-9bb4-2c91b56afa85',
  apiKeyId,
  issuerId: '3f1d8c52-6b0e-4c1f-9c7a-d2a4e85b9107',
  subject: '42',
  subjectId: '0c37b5a8a4d7e85b1b1d0a4b9f4be0d2f7d1f60c0b8ba6c5f41a9d4d1ac7e6e3',
  token: 'eaas_sk_00000000000000000000000000000000000000000004C34ms',
  dek: '0fNeienyTfLbyMf67p1WcdnhsZa64acQtGBHf1Cz9dw=',
  iv: 'BXjM4PvH2QaCEDLy',
  wrappedKey:
    'AQEAAAADvI0vZ1tnDKKBohwq0K/FngzI9+BzR/NUQUr3Nrl7WOqHSiq91R6GXPkVhNJ3wVQv4sJBFrb+7wZ/xhOeOYetX8EB9sY66yyn',
  olderWrappedKey:
    'AQEAAAABeNtkTGMdeF8zmvlLGslqWProiNQXSMRAQOSEq1CgliUWx6J9rBmQaq/eqIEaUgP0xHmn8eiFHUzTNvII/g5+XRdoBpPK/dIm',
  ciphertext:
    'eaasAX0vbB6UsEpYscMOWp2PRCcAAAADAE4BAQAAAAO8jS9nW2cMooGiHCrQr8WeDMj34HNH81RBSvc2uXtY6odKKr3VHoZc+RWE0nfBVC' +
    '/iwkEWtv7vBn/GE545h61fwQH2xjrrLKcFeMzg+8fZBoIQMvJsYcqjJ96NU4KS+7iKzV41IRnRHPfOE5NAJ7joX8DF0a1iD1U/2QLK99WT' +
    'nWpF3L4qs7K4Dzdzo65Fbrbz',
  fingerprint: '53a836ab9d72005d6b8522b397fc5eae41baea46fc042a16298d2858c1eb757f',
  entryHash: '08a4678d31dca349e24daf09daf6bbaae6ee28873c9a0ef880900514da7b9b50',
  olderEntryHash: '4c388ffc534f13d3430dafdb771ed4b7cca1031287f5f900d4b9ce5d3cb3d702',
  rsaModulus: 'qMCPI2K1biyp2yHNLvIRlFpZ8J0g_p91',
  onePage: { count: 1, total: 1, limit: 50, offset: 0 },
  keyRecord: {
    key_id: keyId,
    name: 'patients',
    key_version: 3,
    status: 'active',
    exportable: false,
    intake: false,
    created_at: '2026-08-11T09:30:00.000Z',
    rotated_at: '2026-11-02T04:00:00.117Z',
    rotation_policy: { interval_days: 90 },
    next_rotation_at: '2027-01-31T04:00:00.117Z',
    destroy_at: null,
    min_version: 1,
  } as const,
  apiKeyRecord: {
    api_key_id: apiKeyId,
    name: 'web shop',
    hint: '34ms',
    permissions: ['encrypt' as const, 'decrypt' as const],
    key_ids: [keyId],
    allowed_origins: null,
    expires_at: '2027-08-11T00:00:00.000Z',
    created_at: '2026-08-11T09:41:12.083Z',
    created_by: '7a06d673-8192-4531-89ee-8b624c175e4d',
    revoked_at: null,
    last_used_at: '2026-11-20T08:15:00.000Z',
  },
};
