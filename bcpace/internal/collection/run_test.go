// Package collection reads and solves every model file of a folder and writes a table of them:
//
//	go test -v -timeout 0 ./bcpace/internal/collection -folder DIR [-seconds 1,10] [-only TEXT] -csv FILE [-figure FILE.svg]
//
// A row says how long it takes to read the file and how much memory, its sizes, when SARSOP had its first
// bounds of the value at the start, its bounds after each of the times, and bounds that others have published for
// the same model, with their time and source (published.csv in this folder). Where those have another
// discount, the file has one more row with that. A file that cannot be read or solved has the reason,
// with its line. Files with the same bytes have one row. Each file has a process of its own, one after the other, which
// may use all cores. The figure shows how many files are solved how closely after each of the times.
package collection

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"strings"
	"testing"

	"bayescpace/bcpace/numtext"
)

var (
	folder  = flag.String("folder", "", "read all .pomdp, .mdp and .pomdpx files in this folder and those within it, in place of the tests")
	seconds = flag.String("seconds", "1,10", "show the bounds after these times of search")
	only    = flag.String("only", "", "read the files alone whose path has this in it")
	table   = flag.String("csv", "", "write the table to this file")
	figure  = flag.String("figure", "", "draw how closely the files are solved to this .svg file")
)

// TestMain measures one file where measureApart starts it, and a folder where one is named.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == oneFile {
		if err := answer(os.Args[2:], os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(2)
		}
		return
	}
	flag.Parse()
	if *folder == "" {
		os.Exit(m.Run())
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	times, err := timesOf(*seconds)
	if err == nil && *table == "" {
		err = errors.New("-csv is missing, want a file for the table")
	}
	if err == nil {
		err = run(ctx, *folder, *only, times, measureApart, *table, *figure)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// timesOf reads a list of times, and sorts it.
func timesOf(text string) (times []float64, err error) {
	for _, word := range strings.Split(text, ",") {
		t, err := numtext.Float(strings.TrimSpace(word))
		if err != nil || !(t > 0 && t <= 1e6) {
			return nil, fmt.Errorf("-seconds has %q, want times above 0 such as 1,10", word)
		}
		times = append(times, t)
	}
	slices.Sort(times)
	return slices.Compact(times), nil
}

// run measures the files of a folder and writes the table, after each file, and the figure. An interrupt keeps the rows so far.
func run(ctx context.Context, folder, only string, times []float64, measure measurer, table, figure string) error {
	files, err := filesOf(folder, only)
	if err != nil {
		return err
	}
	known, err := readPublished()
	if err != nil {
		return err
	}
	var rows []row
	for i := 0; i < len(files) && ctx.Err() == nil; i++ {
		f := files[i]
		fmt.Fprintf(os.Stderr, "\r%d of %d %-60.60s", i+1, len(files), f.name)
		found := measure(ctx, f.path, 0, times)
		if ctx.Err() != nil {
			break
		}
		rows = append(rows, row{file: f, measured: found, published: known.of(f.name, found.States, found.Discount)})
		for _, discount := range known.discounts(f.name, found.States, found.Discount) {
			if again := measure(ctx, f.path, discount, times); ctx.Err() == nil {
				rows = append(rows, row{file: f, measured: again, published: known.of(f.name, again.States, again.Discount)})
			}
		}
		if err := writeTable(table, times, rows); err != nil {
			return err
		}
	}
	fmt.Fprintln(os.Stderr)
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("%w: %s has the %d rows so far", err, table, len(rows))
	}
	if figure == "" {
		return nil
	}
	return drawGaps(figure, times, rows)
}
