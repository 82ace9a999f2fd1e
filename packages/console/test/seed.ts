import { history, type Stage } from './stage.ts';

const dek = Buffer.alloc(32, 7).toString('base64');

export async function seed({ client, service, pass }: Stage): Promise<Record<string, string>> {
  const ids: Record<string, string> = {};
  const create = async (name: string, days: number | null = null, intake = false) => {
    const rotation_policy = days === null ? null : { interval_days: days };
    ids[name] = (await client.keys.create({ name, rotation_policy, intake })).key_id;
  };
  await create('patients', 365);
  await create('billing', 90);
  await create('legacy-import');
  await create('archive-2024');
  await create('prescriptions-and-other-documents-of-the-clinic-in-turin');
  await create('old-index');
  await create('contact-form', null, true);
  service.createApiKey({
    name: 'web',
    permissions: ['encrypt', 'decrypt'],
    key_ids: [ids['patients'] ?? ''],
  });
  const old = service.createApiKey({ name: 'first-import', permissions: ['encrypt', 'keys.read'] });
  service.createApiKey({ name: 'auditor', permissions: ['audit.read', 'usage.read'] });

  service.createApiKey({
    name: 'booking-page',
    permissions: ['encrypt'],
    allowed_origins: ['https://booking.example', 'https://www.booking.example'],
  });

  const patients = { keyId: ids['patients'] ?? '' };
  const early = await client.encrypt('from before the rotation', patients);
  for (let month = 0; month < 13; month++) {
    for (const [name, wraps] of [
      ['patients', 30 + month * 12],
      ['billing', 18 + ((month * 7) % 20)],
    ] as const)
      await use(client, ids[name] ?? '', wraps);
    if (month > 7)
      for (let each = 0; each < month * 4; each++)
        await client.serverMode.encrypt({ key_id: ids['billing'] ?? '', plaintext: 'old code' });
    if (month === 5) await client.keys.rotate({ key_id: ids['patients'] ?? '' });
    pass(30);
  }
  await client.apiKeys.revoke({ api_key_id: old.api_key_id });
  for (const name of ['legacy-import', 'archive-2024', 'old-index'])
    await client.keys.disable({ key_id: ids[name] ?? '' });
  await client.keys.destroy({ key_id: ids['archive-2024'] ?? '', grace_days: 30 });
  await client.keys.destroy({ key_id: ids['old-index'] ?? '', grace_days: 0 });
  const inTwoDays = new Date(Date.now() - (history - 390) * 86_400_000 + 12 * 86_400_000);
  service.createApiKey({ name: 'support', permissions: ['decrypt'], expires_at: inTwoDays.toISOString() });
  pass(history - 390);
  await use(client, ids['patients'] ?? '', 4);
  await client.decrypt(early, patients);
  return ids;
}

async function use(client: Stage['client'], keyId: string, count: number): Promise<void> {
  const sealed = await client.encryptMany(
    Array.from({ length: count }, (_, index) => `value ${index}`),
    { keyId, fresh: true },
  );
  const ciphertexts = sealed.flatMap((result) => (result.ok ? [result.value] : []));
  const opened = ciphertexts.filter((_, index) => index % 3 > 0);
  await client.decryptMany(opened, { keyId });
}

export async function fill({ service }: Stage, keyId: string, total: number): Promise<void> {
  const send = async (items: number): Promise<void> => {
    const { status } = await service.fetch(`${service.baseUrl}/v1/batch/wrap`, {
      method: 'POST',
      headers: { authorization: `Bearer ${service.apiKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ items: Array.from({ length: items }, () => ({ key_id: keyId, dek })) }),
    });
    if (status !== 200)
      throw new Error(`expected the status 200 in the response to the batch (got ${status})`);
  };
  for (let left = total; left > 0; left -= 1_000) await send(Math.min(left, 1_000));
}
