package cmd

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"bayescpace/bcpace/sweep"
	"bayescpace/bcpace/sweep/jetstream"
	"bayescpace/bcpace/sweep/script"
)

// serverFlags say how to reach a server of NATS. A secret is in a file: who looks at the
// processes of a machine sees their command lines.
type serverFlags struct{ jetstream.Server }

func (a *serverFlags) flags(f *flags) {
	f.section("a server that runs already")
	f.value("credentials", "FILE", "file of mode 0600 with the credentials of a NATS user (.creds)", text(&a.Credentials))
	f.value("token-file", "FILE", "file of mode 0600 with a token", text(&a.TokenFile))
	f.value("tls-ca", "FILE", "certificates, in PEM, of who signs the server's (default: those of the system)", text(&a.CA))
	f.value("tls-cert", "FILE", "certificate to show the server, in PEM", text(&a.Cert))
	f.value("tls-key", "FILE", "key of --tls-cert, in PEM", text(&a.Key))
}

// server returns how to reach an address: a folder, its connect.json, or URLs. The error is a
// *usageError for URLs that are none, and for flags that an address in a file has no use for. It
// is another one for a secret that others can read.
func (a *serverFlags) server(f *flags, flag, address string) (s jetstream.Server, err error) {
	s = a.Server
	s.Address = address
	if !isURL(address) {
		if err := f.clash("--"+flag+" "+address+", which says how to reach the server,", serverKeys...); err != nil {
			return s, err
		}
		file := address
		if info, err := os.Stat(address); err == nil && info.IsDir() {
			file = filepath.Join(address, connectJSON)
		}
		return s, private(flag, file)
	}
	for _, one := range strings.Split(address, ",") {
		u, err := url.Parse(one)
		switch {
		case err != nil || u.Scheme != "nats" && u.Scheme != "tls" || u.Hostname() == "" || u.Path != "" || u.RawQuery != "":
			return s, misuse("--%s is %q, want URLs such as nats://host:4222 or tls://host:4222, with commas between them", flag, one)
		case u.User != nil:
			return s, misuse("--%s has a secret, which others can read on the command line: want it in a file, see --token-file and --credentials", flag)
		}
	}
	if f.given["tls-cert"] != f.given["tls-key"] {
		return s, misuse("--tls-cert and --tls-key go together: give both or neither")
	}
	for _, x := range a.files() {
		if err := private(x.Flag, x.Path); x.Secret && err != nil {
			return s, err
		}
	}
	return s, nil
}

// files returns those that the flags name.
func (a *serverFlags) files() (list []script.File) {
	for _, x := range []script.File{
		{Flag: "credentials", Path: a.Credentials, Secret: true}, {Flag: "token-file", Path: a.TokenFile, Secret: true},
		{Flag: "tls-ca", Path: a.CA}, {Flag: "tls-cert", Path: a.Cert}, {Flag: "tls-key", Path: a.Key, Secret: true},
	} {
		if x.Path != "" {
			list = append(list, x)
		}
	}
	return list
}

// private returns an error for a secret of the user's in a file that others can read. One that
// is not there or belongs to somebody else, as what Kubernetes mounts does, is for who reads it.
func private(flag, name string) error {
	info, err := os.Stat(name)
	if err != nil || !ours(info) || info.Mode().Perm()&0o077 == 0 {
		return nil
	}
	return fmt.Errorf("--%s names %s, which others can read (mode %04o): chmod 600 it, and have the server take another secret if somebody may have", flag, name, info.Mode().Perm())
}

func isURL(address string) bool { return strings.Contains(address, "://") }

// sweepKey stands for the trials of a sweep and the version of the code that computes them.
func sweepKey(r *sweep.Results) string {
	h := sha256.New()
	for _, row := range r.Rows {
		io.WriteString(h, row.Key)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// connectFlag adds the flag of those who join a sweep.
func connectFlag(f *flags, connect *string) {
	f.value("connect", "WHERE", "the folder of a sweep run with --engine embedded, its file connect.json or a copy of that; or the URL of a server, nats:// or tls://", text(connect))
}

// serverKeys are the names of the flags.
var serverKeys = []string{"credentials", "token-file", "tls-ca", "tls-cert", "tls-key"}

// connectJSON is the file in the folder of an embedded engine that says how to reach it.
const connectJSON = script.ConnectFile
