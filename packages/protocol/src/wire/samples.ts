/** Values that several examples of the reference have. They are consistent with each other, and belong to no service. */
export const samples = {
  keyId: '7d2f6c1e-94b0-4a58-b1c3-0e5a9d8f4427',
  tenantId: 'fc55d0c1-48e1-4d0a-9bb4-2c91b56afa85',
  apiKeyId: 'ecab54d1-2d80-4ece-a973-2bfa63124c5c',
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
};
