/** Values that several examples of the reference have. They are consistent with each other, and belong to no service. */
export const samples = {
  keyId: '7d2f6c1e-94b0-4a58-b1c3-0e5a9d8f4427',
  tenantId: 'fc55d0c1-48e1-4d0a-9bb4-2c91b56afa85',
  apiKeyId: 'ecab54d1-2d80-4ece-a973-2bfa63124c5c',
  issuerId: '3f1d8c52-6b0e-4c1f-9c7a-d2a4e85b9107',
  token: 'eaas_sk_00000000000000000000000000000000000000000004C34ms',
  dek: '0fNeienyTfLbyMf67p1WcdnhsZa64acQtGBHf1Cz9dw=',
  wrappedKey:
    'AQEAAAADvI0vZ1tnDKKBohwq0K/FngzI9+BzR/NUQUr3Nrl7WOqHSiq91R6GXPkVhNJ3wVQv4sJBFrb+7wZ/xhOeOYetX8EB9sY66yyn',
  olderWrappedKey:
    'AQEAAAABeNtkTGMdeF8zmvlLGslqWProiNQXSMRAQOSEq1CgliUWx6J9rBmQaq/eqIEaUgP0xHmn8eiFHUzTNvII/g5+XRdoBpPK/dIm',
  entryHash: '08a4678d31dca349e24daf09daf6bbaae6ee28873c9a0ef880900514da7b9b50',
  onePage: { count: 1, total: 1, limit: 50, offset: 0 },
};
