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
	lines := strings.Split(cell, "\n")
	begin := -1
	for i, line := range lines {
		if begins.MatchString(bare(line)) {
			if begin >= 0 {
				return cell, false
			}
			begin = i
		}
	}
	if words := strings.Fields(bare(lines[0])); begin < 0 || len(words) > 0 && otherCell[words[0]] {
		return cell, false
	}
	head := strings.Join(lines[:begin+1], "\n") + "\n"
	body := strings.TrimPrefix(cell+"\n", head)
	const function = "package p; func _() {\n"
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, "", function+withoutCommands(body)+"\n}", parser.SkipObjectResolution)
	if err != nil || len(file.Decls) != 1 {
		return cell, false
	}
	f, is := file.Decls[0].(*ast.FuncDecl)
	if !is || len(f.Body.List) == 0 {
		return cell, false
	}
	last, is := f.Body.List[len(f.Body.List)-1].(*ast.ExprStmt)
	if !is || !onlyValue(last.X) {
		return cell, false
	}
	from, to := set.Position(last.Pos()).Offset-len(function), set.Position(last.End()).Offset-len(function)
	return strings.TrimSuffix(head+body[:from]+showBefore+body[from:to]+")"+body[to:], "\n"), true
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

// withoutCommands has spaces in place of the lines that are commands of GoNB.
func withoutCommands(body string) string {
	var out strings.Builder
	goes := false
	for line := range strings.Lines(body) {
		if _, command := strings.CutPrefix(line, "%"); goes || command || strings.HasPrefix(line, "!") {
			text := strings.TrimSuffix(line, "\n")
			goes = strings.HasSuffix(text, `\`)
			line = strings.Repeat(" ", len(text)) + line[len(text):]
		}
		out.WriteString(line)
	}
	return out.String()
}
