// Command interop reads the public log with software that nobody of this project wrote: golang.org/x/mod/sumdb/tlog and
// note, and filippo.io/torchwood. It also starts what litewitness, the witness of torchwood, needs.
//
//	interop read   -log URL -policy FILE [-earlier FILE]   checks the checkpoint, all tiles and all entries
//	interop verify -policy FILE < proof                    checks a tlog-proof, from the head that it proves to the quorum
//	interop agent  -socket PATH -name NAME                 holds the key of a witness, as an ssh-agent
//	interop admit  -db PATH -log VKEY                      lets a witness know a log
//	interop cosign -name NAME < checkpoint                 cosigns with ML-DSA-44
package main

import (
	"context"
	"crypto/ed25519"
	"crypto/mldsa"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net"
	"os"
	"strings"

	"filippo.io/torchwood"
	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/agent"
	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

var (
	flags   = flag.NewFlagSet("interop", flag.ExitOnError)
	logURL  = flags.String("log", "", "the URL of the log, or its vkey")
	policy  = flags.String("policy", "", "a file with a tlog-policy")
	earlier = flags.String("earlier", "", "a file with an earlier checkpoint")
	socket  = flags.String("socket", "", "where the ssh-agent listens")
	name    = flags.String("name", "", "the name of a witness")
	db      = flags.String("db", "", "the database of a witness")
)

func main() {
	commands := map[string]func() (any, error){"read": read, "verify": verify, "agent": serveAgent, "admit": admit, "cosign": cosign}
	command := commands[os.Args[1]]
	flags.Parse(os.Args[2:])
	result, err := command()
	if err == nil {
		err = json.NewEncoder(os.Stdout).Encode(result)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func readPolicy() (torchwood.Policy, error) {
	text, err := os.ReadFile(*policy)
	if err != nil {
		return nil, err
	}
	return torchwood.ParsePolicy(text)
}

// read fetches the checkpoint and every tile below it. Each record gets a proof from the tiles, which is checked against
// the root in the checkpoint, and so is the tree of the earlier checkpoint.
func read() (any, error) {
	ctx := context.Background()
	trusted, err := readPolicy()
	if err != nil {
		return nil, err
	}
	fetcher, err := torchwood.NewTileFetcher(*logURL)
	if err != nil {
		return nil, err
	}
	signed, err := fetcher.ReadEndpoint(ctx, "checkpoint")
	if err != nil {
		return nil, err
	}
	checkpoint, _, err := torchwood.VerifyCheckpoint(signed, trusted)
	if err != nil {
		return nil, err
	}
	tiles := torchwood.TileHashReaderWithContext(ctx, checkpoint.Tree, fetcher)
	client, err := torchwood.NewClient(fetcher)
	if err != nil {
		return nil, err
	}
	entries := []string{}
	for index, entry := range client.AllEntries(ctx, checkpoint.Tree, 0) {
		proof, err := tlog.ProveRecord(checkpoint.N, index, tiles)
		if err != nil {
			return nil, err
		}
		if err := tlog.CheckRecord(proof, checkpoint.N, checkpoint.Hash, index, tlog.RecordHash(entry)); err != nil {
			return nil, err
		}
		entries = append(entries, string(entry))
	}
	if err := client.Err(); err != nil {
		return nil, err
	}
	if *earlier != "" {
		if err := checkEarlier(trusted, checkpoint.Tree, tiles); err != nil {
			return nil, err
		}
	}
	return map[string]any{"origin": checkpoint.Origin, "size": checkpoint.N, "entries": entries}, nil
}

func checkEarlier(trusted torchwood.Policy, tree tlog.Tree, tiles tlog.HashReader) error {
	signed, err := os.ReadFile(*earlier)
	if err != nil {
		return err
	}
	before, _, err := torchwood.VerifyCheckpoint(signed, trusted)
	if err != nil {
		return err
	}
	proof, err := tlog.ProveTree(tree.N, before.N, tiles)
	if err != nil {
		return err
	}
	return tlog.CheckTree(proof, tree.N, tree.Hash, before.N, before.Hash)
}

// verify computes the entry from the head that the proof is for, and then lets torchwood do the rest.
func verify() (any, error) {
	trusted, err := readPolicy()
	if err != nil {
		return nil, err
	}
	proof, err := io.ReadAll(os.Stdin)
	if err != nil {
		return nil, err
	}
	extra, err := torchwood.ProofExtraData(proof)
	if err != nil {
		return nil, err
	}
	var head head
	if err := json.Unmarshal(extra, &head); err != nil {
		return nil, err
	}
	entry, err := head.entry()
	if err != nil {
		return nil, err
	}
	return head, torchwood.VerifyProof(trusted, tlog.RecordHash(entry), proof)
}

// serveAgent holds a new Ed25519 key until the process is killed.
func serveAgent() (any, error) {
	_, private, err := ed25519.GenerateKey(nil)
	if err != nil {
		return nil, err
	}
	keys := agent.NewKeyring()
	if err := keys.Add(agent.AddedKey{PrivateKey: private}); err != nil {
		return nil, err
	}
	public, err := ssh.NewPublicKey(private.Public())
	if err != nil {
		return nil, err
	}
	verifier, err := torchwood.NewCosignatureVerifierFromKey(*name, private.Public())
	if err != nil {
		return nil, err
	}
	listener, err := net.Listen("unix", *socket)
	if err != nil {
		return nil, err
	}
	fmt.Printf("{\"key\":%q,\"vkey\":%q}\n", ssh.FingerprintSHA256(public), verifier.String())
	for {
		connection, err := listener.Accept()
		if err != nil {
			return nil, err
		}
		go agent.ServeAgent(keys, connection)
	}
}

// admit does what witnessctl does in its commands add-log and add-key. witnessctl itself needs a module of another log.
func admit() (any, error) {
	verifier, err := torchwood.NewLogVerifier(*logURL)
	if err != nil {
		return nil, err
	}
	connection, err := sqlite.OpenConn(*db, sqlite.OpenReadWrite)
	if err != nil {
		return nil, err
	}
	defer connection.Close()
	origin := verifier.Name()
	empty, err := tlog.TreeHash(0, nil)
	if err != nil {
		return nil, err
	}
	const addLog = "INSERT INTO log (origin, tree_size, tree_hash) VALUES (?, 0, ?)"
	if err := sqlitex.Execute(connection, addLog, &sqlitex.ExecOptions{Args: []any{origin, empty.String()}}); err != nil {
		return nil, err
	}
	const addKey = "INSERT INTO key (origin, key) VALUES (?, ?)"
	return origin, sqlitex.Execute(connection, addKey, &sqlitex.ExecOptions{Args: []any{origin, *logURL}})
}

// cosign returns a line that only an ML-DSA-44 key can make, because litewitness has Ed25519 keys.
func cosign() (any, error) {
	private, err := mldsa.GenerateKey(mldsa.MLDSA44())
	if err != nil {
		return nil, err
	}
	signer, err := torchwood.NewCosignatureSigner(*name, private)
	if err != nil {
		return nil, err
	}
	checkpoint, err := io.ReadAll(os.Stdin)
	if err != nil {
		return nil, err
	}
	text, _, _ := strings.Cut(string(checkpoint), "\n\n")
	signed, err := note.Sign(&note.Note{Text: text + "\n"}, signer)
	if err != nil {
		return nil, err
	}
	_, line, _ := strings.Cut(string(signed), "\n\n")
	return map[string]string{"vkey": signer.Verifier().String(), "line": line}, nil
}
