export function alternatives(column: string, type: string, current: string | null): (string | null)[] {
  const own = byColumn[column] ?? [];
  return [...own, ...byType(type, current), null];
}

const byColumn: Readonly<Record<string, readonly string[]>> = {
  action: ['key.wrap', 'key.unwrap', 'key.create', 'api_key.create', 'tenant.update', 'nothing'],
  status: ['active', 'disabled', 'pending_destruction', 'destroyed', 'unknown'],
  metadata: [
    '{}',
    'not JSON',
    '[]',
    'null',
    '[[[[',
    '['.repeat(20_000),
    '{"previous_change":1.5}',
    '{"previous_change":9007199254740993}',
    '{"api_key_id":{"toString":1}}',
    '{"api_key_id":"\\ud800","previous_change":3}',
    '{"__proto__":{"previous_change":3}}',
    '{"outcome":"refused"}',
  ],
  // The first value is a list within a list. Its numbers are the character codes of "encrypt".
  permissions: ['{{101,110,99,114,121,112,116}}', '{decrypt}', '{api_keys.manage}'],
  month: ['2019-01', '9999-12'],
  ip_address: ['::1', '192.0.2.8'],
  actor: ['operator', 'system'],
};

function byType(type: string, current: string | null): string[] {
  switch (type) {
    case 'bigint':
      return [
        ...neighbours(current),
        '9007199254740991',
        '9007199254740992',
        '9007199254740993',
        '9223372036854775807',
        '-9223372036854775808',
      ];
    case 'integer':
      return [...neighbours(current), '2147483647', '-2147483648'];
    case 'boolean':
      return ['true', 'false'];
    case 'uuid':
      return ['00000000-0000-0000-0000-000000000000', '7d3a5b0e-9d7f-4f0e-8f0a-2b1c3d4e5f60'];
    case 'bytea':
      return bytes(current);
    case 'text':
      return ['', ` ${current}`, `${current}x`, 'NULL'];
    case 'text[]':
      return ['{}', '{NULL}', '{""}', '{{a},{b}}', '{encrypt}', '{https://three.example}'];
    case 'uuid[]':
      return ['{}', '{00000000-0000-0000-0000-000000000000}'];
    default:
      throw new Error(`no test values are defined for columns of the type ${type}: add values for this type`);
  }
}

function neighbours(current: string | null): string[] {
  const number = BigInt(current ?? 0);
  return [String(number + 1n), String(number - 1n), '0', '-1'];
}

function bytes(current: string | null): string[] {
  const hex = (current ?? '').slice(2);
  const flip = (at: number) =>
    `\\x${hex.slice(0, at)}${(Number.parseInt(hex[at] ?? '0', 16) ^ 1).toString(16)}${hex.slice(at + 1)}`;
  const changed = hex === '' ? [] : [flip(0), flip(hex.length / 2), flip(hex.length - 1)];
  return [...changed, `\\x${hex.slice(0, -2)}`, `\\x${hex}00`, '\\x', `\\x${'00'.repeat(hex.length / 2)}`];
}
