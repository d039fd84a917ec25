package collection

import (
	_ "embed"
	"encoding/csv"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"bayescpace/bcpace/numtext"
)

//go:embed published.csv
var publishedFile string

// publication is bounds that somebody has published for a model.
type publication struct {
	name                    string
	states                  int
	discount                float64
	lower, upper, seconds   float64
	method, source, written string // written is the bounds as they are in the file
}

// publications are those of all models.
type publications []publication

// readPublished reads published.csv.
func readPublished() (list publications, err error) {
	lines, err := csv.NewReader(strings.NewReader(publishedFile)).ReadAll()
	if err != nil {
		return nil, fmt.Errorf("published.csv: %w", err)
	}
	for i, l := range lines[1:] {
		p := publication{name: plain(l[0]), method: l[6], source: l[7], written: l[3] + " to " + l[4]}
		var faults [5]error
		p.states, faults[0] = numtext.Whole(l[1])
		for k, to := range []*float64{&p.discount, &p.lower, &p.upper, &p.seconds} {
			*to, faults[k+1] = numtext.Float(l[2+k])
		}
		for _, fault := range faults {
			if fault != nil {
				return nil, fmt.Errorf("published.csv, line %d: %w", i+2, fault)
			}
		}
		list = append(list, p)
	}
	return list, nil
}

// of returns what is published for a file with so many states and that discount.
func (list publications) of(name string, states int, discount float64) (found publications) {
	for _, p := range list {
		if p.name == stem(name) && p.states == states && p.discount == discount {
			found = append(found, p)
		}
	}
	return found
}

// discounts returns the other discounts of what is published for a file with so many states.
func (list publications) discounts(name string, states int, discount float64) (found []float64) {
	for _, p := range list {
		if p.name == stem(name) && p.states == states && p.discount != discount && !slices.Contains(found, p.discount) {
			found = append(found, p.discount)
		}
	}
	return found
}

// stem is the plain name of a model file without its extensions.
func stem(path string) string {
	name := strings.TrimSuffix(strings.ToLower(filepath.Base(path)), ".gz")
	return plain(strings.TrimSuffix(name, filepath.Ext(name)))
}

// plain is a name without what differs in how it is written: Tiger-Grid, tiger_grid.
func plain(name string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, name)
}
