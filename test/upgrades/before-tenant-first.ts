/** The secrets of the dump before-tenant-first.sql. They are only test data. */
export const before = {
  rootKey: 'MfmFFBoVtUVo88ucBdEkOtcRN5+yi7GXTpupHCg2pbg=',
  ann: {
    token: 'eaas_sk_UfuWZHs28TZRvEBjEbgErG9yjdGEO6Tt50PnEgBYlDC0pMhxJ',
    busy: 'ae2f1982-cec0-4d07-b5db-71dcef6edcfe',
    wrapped:
      'AQEAAAABU8hXTDgHvn/Yo/SI7YAiqirrnyonHIACFvQkmHOqIiHmI1xsLggzMrXJMagTpFrHEccpB/vzRXXYWexnlg33rphS/hhPtqRI',
    revoked: { token: 'eaas_sk_P0UBGsTHgJhHLg5cQqpJqTqK1ybDfT7t0TYexlPbjIb2iPRPz' },
  },
  ben: {
    tenantId: 'd6082f9c-2f97-4fcb-bcf2-3ef723399069',
    token: 'eaas_sk_QE8j90ZLrtwqhvPne06NUSuC54E1ajs92iBG9Pctqi32e3jNq',
  },
  checkpoint:
    'eaas.audit-chain.v1/7cd81681-ec65-425f-89ec-c841e70033b3\n31\ndvpja0/If0hCEWyVX/tn9vWvx1ZCycOXZcKhacGB3ik=\n\n\u2014 eaas/7cd81681-ec65-425f-89ec-c841e70033b3 PRFW1Ja3DdGC0CxX8xRQsGBGfLI7KUgDo6CoGDBM3jRA3gXcUQtdmPbpFQ5ZzqbogTBC2cDyeH2KtXG/4maFGSDw7gs=\n',
  hash: '38de3c038c0337ad653a02cad5e03daf368ae3527282a8b63dcc0b8766ea8a56',
  bundle: {
    ciphertext:
      'eaasAUEB0/DpEU1Lp45tjw6Tj8AAAAACAE4BAQAAAAJSH1NbxEWBGQmfNBqJYMEH7gFP8zuekh9lIsGQYSTDqh+ELC27zeJQFJ2vv+inJxxJ3QWo/Awn+2xAnvf8XDG0rYNVcXKKw/r4YSLVLW9cMmIPJgf/D35rMTC9VuFayfYhs97XoNVd02cUOgveEbyVWlRlVDlzgBMtWfS4zAHcdWO0xCYnCUMh',
    key_id: '4101d3f0-e911-4d4b-a78e-6d8f0e938fc0',
    key_version: 2,
  },
} as const;
