package bcpace

import (
	"crypto/sha256"
	"embed"
	"fmt"
	"io/fs"
	"strings"
	"sync"
)

//go:embed *.go alpha/*.go certified/*.go cpace/*.go dp/*.go fingerprint/*.go runs/*.go internal/boxid/*.go internal/columns/*.go internal/grid/*.go internal/intern/*.go internal/knn/*.go internal/mdp/*.go internal/moves/*.go internal/normal/*.go internal/num/*.go internal/meanbound/*.go internal/rollout/*.go internal/side/*.go metric/*.go proved/*.go solverkit/*.go stop/*.go
var sources embed.FS

// CodeHash identifies the code of the core: 64 hexadecimal digits that change
// with every change of this package and of those below that it stands on, tests
// left out. A result
// that is kept on disk is filed under it, so that new code computes again.
func CodeHash() string { return codeHash() }

var codeHash = sync.OnceValue(func() string { return HashSources(sources) })

// HashSources returns 64 hexadecimal digits that change with every Go file of a package, tests
// left out. It is for packages that embed their files, so that a result which is kept on disk is
// filed under the code that has computed it.
func HashSources(files embed.FS) string {
	h := sha256.New()
	// WalkDir goes in lexical order.
	err := fs.WalkDir(files, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || strings.HasSuffix(name, "_test.go") {
			return err
		}
		text, err := files.ReadFile(name)
		fmt.Fprintf(h, "%s %d\n", name, len(text))
		h.Write(text)
		return err
	})
	if err != nil {
		panic(err) // the files are part of the program
	}
	return fmt.Sprintf("%x", h.Sum(nil))
}
