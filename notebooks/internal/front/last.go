//go:build unix

package front

import (
	"go/ast"
	"go/parser"
	"go/token"
	"strings"
)

// A cell whose last statement is a value shows that value: nb.Show stands around it. Go has no program that ends so, as a
// value that nothing is done with does not compile; so no cell that worked works in another way.

// showLast returns a cell with nb.Show around the value that it ends with, if it ends with one. A call stays as it is, as it
// may have no value. ok is false, and the cell as it was, where it does not, or is not of Go.
func showLast(cell string) (shown string, ok bool) {
	text, isGo := goCode(cell)
	if !isGo || fault(cell) != "" {
		return cell, false
	}
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, "", cellsHeader+"\n"+text, parser.SkipObjectResolution)
	if err != nil || len(file.Decls) == 0 {
		return cell, false
	}
	f, is := file.Decls[len(file.Decls)-1].(*ast.FuncDecl)
	if !is || f.Name.Name != "main" || f.Body == nil || len(f.Body.List) == 0 {
		return cell, false
	}
	last, is := f.Body.List[len(f.Body.List)-1].(*ast.ExprStmt)
	if !is || !onlyValue(last.X) {
		return cell, false
	}
	lines := strings.SplitAfter(cell, "\n")
	insert := func(at token.Pos, text string) {
		p := set.Position(at)
		line := &lines[p.Line-2] // less the header
		*line = (*line)[:p.Column-1] + text + (*line)[p.Column-1:]
	}
	insert(last.End(), ")")
	insert(last.Pos(), showBefore)
	return strings.Join(lines, ""), true
}

// showBefore stands before the value.
const showBefore = "nb.Show("

// onlyValue says that a statement of nothing but this expression does not compile.
func onlyValue(x ast.Expr) bool {
	switch x := x.(type) {
	case *ast.ParenExpr:
		return onlyValue(x.X)
	case *ast.CallExpr:
		return false
	case *ast.UnaryExpr:
		return x.Op != token.ARROW
	}
	return true
}
