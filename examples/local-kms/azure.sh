#!/bin/sh
# Seals or opens 32 bytes with an RSA key of Azure Key Vault: a line of base64 in, and one out.
set -eu
with="--vault-name ${LOCAL_KMS_VAULT:?set it to the name of the key vault} --name ${LOCAL_KMS_KEY:-local-production}"
case ${1-} in
seal) work=encrypt ;;
open) work=decrypt ;;
*) echo 'pass seal or open' >&2 && exit 2 ;;
esac
exec az keyvault key $work --algorithm RSA-OAEP-256 --data-type base64 --value @- --query result --output tsv $with
