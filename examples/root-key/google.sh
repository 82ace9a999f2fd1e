#!/bin/sh
# Prints the root key, which Google Cloud KMS decrypts.
set -eu
file=${ROOT_KEY_WRAPPED:-/etc/eaas/root.wrapped}
if ! [ -r "$file" ]; then
  echo "$file cannot be read: restore it from your copy" >&2
  exit 1
fi
exec gcloud kms decrypt --location "${ROOT_KEY_LOCATION:-europe-west3}" --keyring eaas --key root \
  --ciphertext-file "$file" --plaintext-file -
