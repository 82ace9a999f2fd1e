#!/bin/sh
# Prints the root key, which AWS KMS decrypts.
set -eu
file=${ROOT_KEY_WRAPPED:-/etc/eaas/root.wrapped}
if ! [ -r "$file" ]; then
  echo "$file cannot be read: restore it from your copy" >&2
  exit 1
fi
exec aws kms decrypt --ciphertext-blob "fileb://$file" --encryption-context eaas=root-key \
  --query Plaintext --output text
