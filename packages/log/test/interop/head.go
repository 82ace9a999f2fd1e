package main

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"
)

// A head is what the extra data of a proof says about a tenant, with its path in the tree of the moment.
type head struct {
	Hash   string   `json:"hash"`
	ID     int64    `json:"id"`
	Path   [][]byte `json:"path"`
	Tenant string   `json:"tenant_id"`
	Time   int64    `json:"time"`
}

// entry computes the record of the moment that has this head, as prefix-tree.ts and proof.ts of the protocol do.
func (h head) entry() ([]byte, error) {
	hash, err := hex.DecodeString(h.Hash)
	if err != nil || len(h.Path) > 256 {
		return nil, errors.New("the extra data has no hash, or a path that is too long")
	}
	position := sha256.Sum256(pae("eaas log tenant v1", h.Tenant))
	leaf := sha256.Sum256(pae("eaas log head v1", h.Tenant, strconv.FormatInt(h.ID, 10), string(hash)))
	root := sum([]byte{0}, position[:], leaf[:])
	for i, sibling := range h.Path {
		depth := len(h.Path) - 1 - i
		if position[depth/8]>>(7-depth%8)&1 == 0 {
			root = sum([]byte{1}, root, sibling)
		} else {
			root = sum([]byte{1}, sibling, root)
		}
	}
	return fmt.Appendf(nil, "eaas.moment.v1\n%d\n%s\n", h.Time, base64.StdEncoding.EncodeToString(root)), nil
}

func sum(parts ...[]byte) []byte {
	hash := sha256.New()
	for _, part := range parts {
		hash.Write(part)
	}
	return hash.Sum(nil)
}

func pae(parts ...string) []byte {
	encoded := binary.BigEndian.AppendUint32(nil, uint32(len(parts)))
	for _, part := range parts {
		encoded = binary.BigEndian.AppendUint32(encoded, uint32(len(part)))
		encoded = append(encoded, part...)
	}
	return encoded
}
