'use client';

import { EaasBrowserClient } from '@eaas/sdk/browser';
import { useEffect } from 'react';

export default function Page() {
  useEffect(() => void Object.assign(globalThis, { EaasBrowserClient }), []);
  return <p>Ready</p>;
}
