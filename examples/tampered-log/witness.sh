#!/bin/sh
# Verifies the signature of a witness on acme.tlog-proof, with OpenSSL alone: `sh witness.sh north`.
set -eu
cd "$(dirname "$0")"
scratch=$(mktemp -d)
trap 'rm -r "$scratch"' EXIT
# The line of the witness: 4 bytes of its key's id, 8 of the time, and a signature of Ed25519.
grep "^— $1" acme.tlog-proof | cut -d' ' -f3 | base64 -d > "$scratch/line"
tail -c 64 "$scratch/line" > "$scratch/signature"
time=$(od -An -tx1 -j4 -N8 "$scratch/line" | tr -d ' \n')
# What it signs: the time, and the checkpoint, which is the second paragraph of the proof.
printf 'cosignature/v1\ntime %d\n' "0x$time" > "$scratch/message"
awk 'BEGIN { RS = "" } NR == 2' acme.tlog-proof >> "$scratch/message"
# Its key, in the policy, as DER.
printf '0*0\005\006\003+ep\003!\000' > "$scratch/key"
awk -v name="$1" '$2 == name { print $3 }' policy.txt | cut -d+ -f3- | base64 -d | tail -c 32 >> "$scratch/key"
openssl pkeyutl -verify -pubin -keyform DER -inkey "$scratch/key" -rawin -in "$scratch/message" \
  -sigfile "$scratch/signature"
