// Encrypts standard input under an intake key. Arguments: its public key, and the context as name=value.
// Requires Go 1.26, whose crypto/hpke has X-Wing under the name MLKEM768-X25519.
package main

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/hpke"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"io"
	"log"
	"maps"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

var form = regexp.MustCompile(`^(eaas_pk_1\.([\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})\.([1-9]\d{0,9})\.([A-Za-z\d+/]+=*))\.([\da-f]{16})$`)

func encrypt(publicKey string, value []byte, context map[string]string) []byte {
	part := form.FindStringSubmatch(publicKey)
	if part == nil {
		log.Fatal("the public key must be all of eaas_pk_1.…, without spaces or line breaks")
	}
	text, keyID, version, encoded := part[1], part[2], part[3], part[4]
	if sum := sha256.Sum256([]byte(text)); hex.EncodeToString(sum[:8]) != part[5] {
		log.Fatal("the public key must have the right checksum: it was altered or truncated")
	}
	raw := must(base64.StdEncoding.Strict().DecodeString(encoded))
	key := must(hpke.MLKEM768X25519().NewPublicKey(raw))
	number := binary.BigEndian.AppendUint32(nil, uint32(must(strconv.ParseUint(version, 10, 32))))

	dek, iv := random(32), random(12)
	head := append([]byte{2, 1}, number...)
	enc, sender, err := hpke.NewSender(key, hpke.HKDFSHA256(), hpke.AES256GCM(), pae("eaas intake v1", keyID, version))
	wrapped := slices.Concat(head, must(enc, err), must(sender.Seal(pae(string(head), string(pae())), dek)))

	var pairs []string
	for _, name := range slices.Sorted(maps.Keys(context)) {
		pairs = append(pairs, name, context[name])
	}
	start := append([]byte{0x79, 0xa6, 0xac, 1}, must(hex.DecodeString(strings.ReplaceAll(keyID, "-", "")))...)
	keys := must(hkdf.Key(sha256.New, dek, nil, "eaas envelope v1", 64))
	body := must(cipher.NewGCM(must(aes.NewCipher(keys[:32])))).Seal(nil, iv, value, slices.Concat(start, pae(pairs...)))
	length := binary.BigEndian.AppendUint16(nil, uint16(len(wrapped)))
	return slices.Concat(start, number, length, wrapped, iv, keys[32:], body)
}

func pae(parts ...string) []byte {
	bytes := binary.BigEndian.AppendUint32(nil, uint32(len(parts)))
	for _, part := range parts {
		bytes = append(binary.BigEndian.AppendUint32(bytes, uint32(len(part))), part...)
	}
	return bytes
}

func random(length int) []byte {
	bytes := make([]byte, length)
	rand.Read(bytes)
	return bytes
}

func must[T any](value T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return value
}

func main() {
	if len(os.Args) < 2 {
		log.Fatal("the public key must be the first argument: use the command in README.md")
	}
	context := map[string]string{}
	for _, argument := range os.Args[2:] {
		name, value, _ := strings.Cut(argument, "=")
		context[name] = value
	}
	fmt.Println(base64.StdEncoding.EncodeToString(encrypt(os.Args[1], must(io.ReadAll(os.Stdin)), context)))
}
