'use client';

import { createBrowserClient } from '@eaas/sdk/browser';
import { useEffect } from 'react';

export default function Page() {
  useEffect(() => void Object.assign(globalThis, { createBrowserClient }), []);
  return <p>Ready</p>;
}
