//go:build unix

package front

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"regexp"
	"slices"
	"strings"
)

// A cell that ends with values shows them: a function of package nb stands around the last statement. A value with which
// nothing is done does not compile, so a cell that ends with one had no other meaning. A call compiles: what it returns
// decides, which program finds out.

// What stands before what a cell ends with: for one value, and for several or an error.
const showsOne, showsRow = "nb.Show(", "nb.Row("

// ending is what a cell ends with.
type ending struct {
	from, to token.Position // in the cell, which begins in line 1
	around   string         // what is to stand before it; "" for a call
}

// endOf finds the values or the call that a cell ends with. It passes over the functions that show or print.
func endOf(cell string) (e ending, ok bool) {
	code, isGo := goCode(cell)
	if !isGo || fault(cell) != "" {
		return e, false
	}
	set := token.NewFileSet()
	place := func(p token.Pos, shift int) token.Position {
		at := set.Position(p)
		return token.Position{Line: at.Line - 1, Column: at.Column - shift} // less the header
	}
	if last := lastStatement(set, code); last != nil {
		call, isCall := ast.Unparen(last).(*ast.CallExpr)
		e = ending{place(last.Pos(), 0), place(last.End(), 0), showsOne}
		if isCall {
			e.around = ""
		}
		return e, !(isCall && shows.MatchString(types.ExprString(call.Fun))) && !strings.HasPrefix(types.ExprString(ast.Unparen(last)), "<-")
	}
	// Values side by side are no statement, but arguments.
	code = strings.TrimRight(strings.TrimSuffix(code, "}"), " \t\n")
	lines := strings.Split(code+")\n}", "\n")
	for i := len(lines) - 2; i > 0; i-- {
		tried := slices.Clone(lines)
		tried[i] = showsRow + tried[i]
		if call, _ := lastStatement(set, strings.Join(tried, "\n")).(*ast.CallExpr); call != nil && len(call.Args) > 0 {
			first, end := call.Args[0].Pos(), call.Args[len(call.Args)-1].End()
			e = ending{place(first, len(showsRow)), place(end, 0), showsRow}
			if e.to.Line == e.from.Line {
				e.to.Column -= len(showsRow)
			}
			return e, len(call.Args) > 1 && e.from.Line == i+1
		}
	}
	return e, false
}

// shows matches the functions that are called for what they show or print.
var shows = regexp.MustCompile(`^(nb\.Show|fmt\.F?[Pp]rint(f|ln)?)$`)

// lastStatement returns the expression that the main function of the lines of a file ends with. It is nil where there is none, or something is no Go.
func lastStatement(set *token.FileSet, code string) ast.Expr {
	file, err := parser.ParseFile(set, "", cellsHeader+"\n"+code, parser.SkipObjectResolution)
	if err != nil {
		return nil
	}
	return lastOf(file)
}

func lastOf(file *ast.File) ast.Expr {
	if len(file.Decls) > 0 {
		if f, is := file.Decls[len(file.Decls)-1].(*ast.FuncDecl); is && f.Name.Name == "main" && f.Body != nil && len(f.Body.List) > 0 {
			if last, is := f.Body.List[len(f.Body.List)-1].(*ast.ExprStmt); is {
				return last.X
			}
		}
	}
	return nil
}

// in returns the cell with a function around its end.
func (e ending) in(cell string) string {
	lines := strings.SplitAfter(cell, "\n")
	insert := func(at token.Position, text string) {
		line := &lines[at.Line-1]
		*line = (*line)[:at.Column-1] + text + (*line)[at.Column-1:]
	}
	insert(e.to, ")")
	insert(e.from, e.around)
	return strings.Join(lines, "")
}
