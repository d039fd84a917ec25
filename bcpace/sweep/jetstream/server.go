package jetstream

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"bayescpace/bcpace"
	"bayescpace/bcpace/internal/disk"
	"bayescpace/bcpace/internal/num"
)

// Server says how to reach a server. The zero values of all fields but Address mean that the
// server does not ask for them.
type Server struct {
	// Address is the folder of an embedded engine, its file connect.json or a copy of that
	// file; or the URL of a server, such as nats://host:4222, or several with commas.
	Address string
	// Credentials is a .creds file of NATS, with a JWT and the seed of its key.
	Credentials string
	// TokenFile is a file that holds a token.
	TokenFile string
	// CA is a file with the certificates of who signs the server's, in PEM.
	CA string
	// Cert and Key are files with the certificate that a client shows, in PEM.
	Cert, Key string
}

// connectFile is the name of the file that says how to reach an embedded server.
const connectFile = "connect.json"

// connection is the content of that file.
type connection struct {
	URL   string `json:"url"`
	Token string `json:"token"`
	// ID is that of the sweeps of the folder.
	ID string `json:"id"`
}

// readConnection reads a connect.json. The error is fs.ErrNotExist where there is none.
func readConnection(name string) (c connection, err error) {
	data, err := disk.Read(name, maxText)
	if err != nil {
		return c, err
	}
	if err := json.Unmarshal(data, &c); err != nil || c.URL == "" || c.Token == "" || checkHex("sweep", c.ID, 16) != nil {
		return c, bcpace.In(name).Bad("the content", "not what an engine has written there", "url, token and id")
	}
	return c, nil
}

// link is a Server whose address and token have been read.
type link struct {
	URL, Token string
	Server     // with its files
}

// resolve reads the files that a Server names.
func (s Server) resolve() (link, error) {
	l := link{URL: s.Address, Server: s}
	in := bcpace.In("server")
	if err := cmp.Or(
		in.Need(s.Address != "", "Address", `""`, "a folder, a connect.json or a URL such as nats://host:4222"),
		in.Need((s.Cert == "") == (s.Key == ""), "Cert and Key", fmt.Sprintf("%q and %q", s.Cert, s.Key), "both or none")); err != nil {
		return l, err
	}
	if strings.Contains(s.Address, "://") {
		for u := range strings.SplitSeq(s.Address, ",") {
			if p, err := url.Parse(strings.TrimSpace(u)); err != nil || p.Host == "" {
				return l, in.Bad("Address", fmt.Sprintf("%q", s.Address), "URLs such as nats://host:4222 or tls://host:4222")
			}
		}
	} else {
		name := s.Address
		if info, err := os.Stat(name); err == nil && info.IsDir() {
			name = filepath.Join(name, connectFile)
		}
		c, err := readConnection(name)
		if errors.Is(err, fs.ErrNotExist) {
			return l, fmt.Errorf("no engine has been started in %s: there is no %s: %w", s.Address, connectFile, fs.ErrNotExist)
		}
		if err != nil {
			return l, err
		}
		l.URL, l.Token = c.URL, c.Token
	}
	if s.TokenFile != "" {
		data, err := os.ReadFile(s.TokenFile)
		if err != nil {
			return l, fmt.Errorf("reading the token: %w", err)
		}
		if l.Token = strings.TrimSpace(string(data)); l.Token == "" || len(l.Token) > maxText {
			return l, in.Bad("TokenFile", s.TokenFile, "a file that holds a token")
		}
	}
	return l, nil
}

// dial connects. name is how the server's logs call this client. A connection that is lost is
// always made again; what is sent meanwhile is refused, not kept for later.
func (l link) dial(name string, more ...nats.Option) (*nats.Conn, error) {
	options := append([]nats.Option{nats.Name(name), nats.MaxReconnects(-1), nats.ReconnectWait(200 * time.Millisecond),
		nats.ReconnectBufSize(-1), nats.Timeout(5 * time.Second)}, more...)
	for _, more := range []struct {
		given  bool
		option nats.Option
	}{
		{l.Token != "", nats.Token(l.Token)},
		{l.Credentials != "", nats.UserCredentials(l.Credentials)},
		{l.CA != "", nats.RootCAs(l.CA)},
		{l.Cert != "", nats.ClientCert(l.Cert, l.Key)},
	} {
		if more.given {
			options = append(options, more.option)
		}
	}
	nc, err := nats.Connect(l.URL, options...)
	if err != nil {
		return nil, l.explain(err)
	}
	if nc.MaxPayload() < maxMessage {
		defer nc.Close()
		return nil, bcpace.In("server "+l.shown()).Bad("max_payload", nc.MaxPayload(), fmt.Sprintf("at least %d", maxMessage))
	}
	return nc, nil
}

// shown returns the addresses without secrets.
func (l link) shown() string {
	var all []string
	for u := range strings.SplitSeq(l.URL, ",") {
		if p, err := url.Parse(strings.TrimSpace(u)); err == nil {
			p.User = nil
			u = p.String()
		}
		all = append(all, u)
	}
	return strings.Join(all, ",")
}

// explain says which server an error is from, and what would be right.
func (l link) explain(err error) error {
	if refusal(err) {
		return fmt.Errorf("the server at %s refuses the token or credentials; want those of %s, or of its administrator: %w", l.shown(), connectFile, err)
	}
	return fmt.Errorf("the server at %s: %w", l.shown(), err)
}

// refusal reports whether a server does not let this client in, so that to try again is of
// no use.
func refusal(err error) bool {
	refused := []error{nats.ErrAuthorization, nats.ErrAuthExpired, nats.ErrAuthRevoked, nats.ErrAccountAuthExpired}
	return slices.ContainsFunc(refused, func(no error) bool { return errors.Is(err, no) }) ||
		err != nil && strings.Contains(strings.ToLower(err.Error()), "authorization violation")
}

// heardWithin is how long State waits for coordinators.
const heardWithin = time.Second

// State returns the sweeps that a server knows: those that run first, then by when they
// began, the last one first. Where Address is the folder of an embedded engine that has
// ended, it reads what is kept there.
func State(ctx context.Context, s Server) ([]Sweep, error) {
	l, err := s.resolve()
	if err != nil {
		return nil, err
	}
	nc, err := l.dial("state")
	if errors.Is(err, nats.ErrNoServers) && !strings.Contains(s.Address, "://") {
		folder := s.Address
		if info, err := os.Stat(folder); err != nil || !info.IsDir() {
			return nil, fmt.Errorf("no engine runs at %s, which %s names", l.shown(), folder)
		}
		h, err := openHouse(ctx, folder, "127.0.0.1:0")
		if err != nil {
			return nil, err
		}
		defer h.close()
		return state(ctx, h.nc)
	}
	if err != nil {
		return nil, err
	}
	defer nc.Close()
	return state(ctx, nc)
}

func state(ctx context.Context, nc *nats.Conn) ([]Sweep, error) {
	all := make(map[string]Sweep)
	live, err := nc.SubscribeSync(nc.NewInbox())
	if err != nil {
		return nil, err
	}
	defer live.Unsubscribe()
	if err := nc.PublishRequest(helloSubject, live.Subject, nil); err != nil {
		return nil, err
	}
	v, err := openVault(ctx, nc, false, 0)
	switch {
	case errors.Is(err, jetstream.ErrStreamNotFound), errors.Is(err, jetstream.ErrBucketNotFound):
		return nil, nil // no engine has ever used it
	case err != nil:
		return nil, fmt.Errorf("reading what the server keeps: %w", err)
	}
	ids, err := v.sweeps.ListKeys(ctx)
	if err != nil {
		return nil, fmt.Errorf("reading what the server keeps: %w", err)
	}
	for id := range ids.Keys() {
		if e, err := v.sweeps.Get(ctx, id); err == nil {
			var s offer
			if read(e.Value(), &s) == nil && s.ID == id {
				s.Live, s.Workers = false, nil
				all[id] = s.Sweep
			}
		}
	}
	for until := time.Now().Add(heardWithin); ; {
		m, err := live.NextMsg(time.Until(until))
		if err != nil {
			break
		}
		var o offer
		if read(m.Data, &o) == nil {
			all[o.ID] = o.Sweep
		}
	}
	sweeps := slices.Collect(maps.Values(all))
	slices.SortFunc(sweeps, func(a, b Sweep) int {
		return cmp.Or(cmp.Compare(num.OfBool(b.Live), num.OfBool(a.Live)), b.Began.Compare(a.Began), cmp.Compare(a.ID, b.ID))
	})
	return sweeps, ctx.Err()
}
