#!/bin/sh
# Prints the root key, which the Transit engine of OpenBao or Vault decrypts.
set -eu
file=${ROOT_KEY_WRAPPED:-/etc/eaas/root.wrapped}
if ! [ -r "$file" ]; then
  echo "$file cannot be read: restore it from your copy" >&2
  exit 1
fi
program=$(command -v bao || command -v vault || echo bao)
exec "$program" write -field=plaintext transit/decrypt/eaas-root "ciphertext=$(cat "$file")"
