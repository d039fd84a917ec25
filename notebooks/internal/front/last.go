//go:build unix

package front

import (
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strings"
)

// A cell that ends with values shows them: a function of package nb stands around the last statement. A value with which
// nothing is done does not compile, so a cell that ends with one had no other meaning. A call compiles: what it returns
// decides, which program finds out.

// What stands before what a cell ends with. As many brackets are closed behind it.
const (
	showsOne  = "nb.Show("
	showsMust = "nb.Show(nb.Must("
	showsRow  = "nb.Row("
	checks    = "nb.Check("
)

// ending is what a cell ends with.
type ending struct {
	from, to token.Position // in the cell, which begins in line 1
	around   string         // what is to stand before it; "" for a call
}

// endOf finds the values or the call that a cell ends with. It passes over the functions that show or print.
func endOf(cell string) (e ending, ok bool) {
	lines, open, ok := goLines(cell)
	if !ok || !open || fault(cell) != "" {
		return e, false
	}
	set := token.NewFileSet()
	place := func(p token.Pos) token.Position {
		at := set.Position(p)
		at.Line-- // of the header
		return at
	}
	last := lastStatement(set, lines)
	if last != nil {
		e = ending{from: place(last.X.Pos()), to: place(last.X.End())}
		call := isCall(last.X)
		if call == nil {
			e.around = showsOne
		}
		return e, !receives(last.X) && (call == nil || !tells(call.Fun))
	}
	// Values side by side are no statement, but arguments.
	end := len(strings.TrimRight(strings.Join(lines, "\n"), " \t\n"))
	for i := strings.Count(strings.Join(lines, "\n")[:end], "\n"); i > 0; i-- {
		tried := slices.Clone(lines)
		tried[i] = showsRow + tried[i]
		text := strings.TrimRight(strings.Join(tried, "\n"), " \t\n") + ")"
		set = token.NewFileSet()
		if last := lastStatement(set, strings.Split(text, "\n")); last != nil {
			call := isCall(last.X)
			if call == nil || len(call.Args) < 2 || place(call.Pos()).Line != i+1 {
				return e, false
			}
			e = ending{place(call.Args[0].Pos()), place(call.Args[len(call.Args)-1].End()), showsRow}
			e.from.Column -= len(showsRow)
			if e.to.Line == e.from.Line {
				e.to.Column -= len(showsRow)
			}
			return e, true
		}
	}
	return e, false
}

// lastStatement returns the expression that the main function ends with. It is nil where there is none, or something is no Go.
func lastStatement(set *token.FileSet, lines []string) *ast.ExprStmt {
	file, err := parser.ParseFile(set, "", cellsHeader+"\n"+strings.Join(lines, "\n")+"\n}", parser.SkipObjectResolution)
	if err != nil {
		return nil
	}
	return lastOf(file)
}

func lastOf(file *ast.File) *ast.ExprStmt {
	if len(file.Decls) == 0 {
		return nil
	}
	f, is := file.Decls[len(file.Decls)-1].(*ast.FuncDecl)
	if !is || f.Name.Name != "main" || f.Body == nil || len(f.Body.List) == 0 {
		return nil
	}
	last, _ := f.Body.List[len(f.Body.List)-1].(*ast.ExprStmt)
	return last
}

// in returns the cell with a function around its end.
func (e ending) in(cell, around string) string {
	lines := strings.SplitAfter(cell, "\n")
	insert := func(at token.Position, text string) {
		line := &lines[at.Line-1]
		*line = (*line)[:at.Column-1] + text + (*line)[at.Column-1:]
	}
	insert(e.to, strings.Repeat(")", strings.Count(around, "(")))
	insert(e.from, around)
	return strings.Join(lines, "")
}

// isCall returns the call that an expression is, or nil.
func isCall(x ast.Expr) *ast.CallExpr {
	call, _ := ast.Unparen(x).(*ast.CallExpr)
	return call
}

// receives tells whether an expression waits for a channel.
func receives(x ast.Expr) bool {
	u, is := ast.Unparen(x).(*ast.UnaryExpr)
	return is && u.Op == token.ARROW
}

// tells tells whether a function is called for what it shows or prints.
func tells(function ast.Expr) bool {
	s, is := function.(*ast.SelectorExpr)
	if !is {
		return false
	}
	x, is := s.X.(*ast.Ident)
	return is && (x.Name == "nb" && s.Sel.Name == "Show" || x.Name == "fmt" && (strings.HasPrefix(s.Sel.Name, "Print") || strings.HasPrefix(s.Sel.Name, "Fprint")))
}
