#!/bin/sh
# Prints the root key, which Azure Key Vault decrypts.
set -eu
file=${ROOT_KEY_WRAPPED:-/etc/eaas/root.wrapped}
if ! [ -r "$file" ]; then
  echo "$file cannot be read: restore it from your copy" >&2
  exit 1
fi
exec az keyvault key decrypt --vault-name "${ROOT_KEY_VAULT:?set it to the name of the key vault}" --name eaas-root \
  --algorithm RSA-OAEP-256 --data-type base64 --value "@$file" --query result --output tsv
