#!/bin/sh
# Seals or opens 32 bytes with AWS KMS: a line of base64 in, and one out.
set -eu
with="--key-id ${LOCAL_KMS_KEY:-alias/eaas-local} --encryption-context eaas=${LOCAL_KMS_CONTEXT:-local-production} --output text"
case ${1-} in
seal) base64 -d | aws kms encrypt --plaintext fileb:///dev/stdin --query CiphertextBlob $with ;;
open) base64 -d | aws kms decrypt --ciphertext-blob fileb:///dev/stdin --query Plaintext $with ;;
*) echo 'pass seal or open' >&2 && exit 2 ;;
esac
