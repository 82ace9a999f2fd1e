// The states of a key as people read them, in the badges and filters of all pages.
import type { KeyRecord } from '@eaas/sdk';

export type KeyStatus = KeyRecord['status'];

const looks: Readonly<Record<KeyStatus, { readonly text: string; readonly tone: string }>> = {
  active: { text: 'Active', tone: 'good' },
  disabled: { text: 'Disabled', tone: 'warn' },
  pending_destruction: { text: 'Being destroyed', tone: 'bad' },
  destroyed: { text: 'Destroyed', tone: 'plain' },
};

export function KeyStatusBadge({ status }: { readonly status: KeyStatus }) {
  const { text, tone } = looks[status];
  return <span class={`badge ${tone}`}>{text}</span>;
}

export const statusOptions: readonly (readonly [string, string])[] = [
  ['', 'All states'],
  ...Object.entries(looks).map(([status, { text }]) => [status, text] as const),
];
