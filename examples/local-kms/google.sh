#!/bin/sh
# Seals or opens 32 bytes with Google Cloud KMS: a line of base64 in, and one out.
set -eu
with="--location ${LOCAL_KMS_LOCATION:-europe-west3} --keyring eaas --key ${LOCAL_KMS_KEY:-local-production}"
case ${1-} in
seal) base64 -d | gcloud kms encrypt --plaintext-file - --ciphertext-file - $with | base64 | tr -d '\n' ;;
open) base64 -d | gcloud kms decrypt --ciphertext-file - --plaintext-file - $with | base64 ;;
*) echo 'pass seal or open' >&2 && exit 2 ;;
esac
