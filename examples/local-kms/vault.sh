#!/bin/sh
# Seals or opens 32 bytes with the Transit engine of OpenBao or Vault: a line of base64 in, and one out.
set -eu
program=$(command -v bao || command -v vault || echo bao)
key=${LOCAL_KMS_KEY:-local-production}
case ${1-} in
seal)
  sealed=$("$program" write -field=ciphertext "transit/encrypt/$key" plaintext=-)
  printf %s "$sealed" | base64 | tr -d '\n'
  ;;
# Not as an argument: the program reads one that begins with @ as a file.
open) base64 -d | "$program" write -field=plaintext "transit/decrypt/$key" ciphertext=- ;;
*) echo 'pass seal or open' >&2 && exit 2 ;;
esac
