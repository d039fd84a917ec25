package runner

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// Normalise takes out of an executed notebook what differs between two
// executions, or between two machines, without meaning anything to a reader.
// clean is applied to every text in the outputs.
func (nb *Notebook) Normalise(clean func(string) string) {
	nb.root["nbformat"], nb.root["nbformat_minor"] = json.Number("4"), json.Number("5")
	metadata, _ := nb.root["metadata"].(map[string]any)
	if metadata == nil {
		metadata = make(map[string]any)
	}
	nb.root["metadata"] = metadata
	metadata["kernelspec"] = map[string]any{"display_name": kernelDisplay, "language": "go", "name": kernelName}
	// As the kernel answers, less its version, and with the name by which an
	// export colours the code.
	metadata["language_info"] = map[string]any{
		"codemirror_mode": "", "file_extension": ".go", "mimetype": "text/x-go", "name": "go", "nbconvert_exporter": "", "pygments_lexer": "go",
	}
	delete(metadata, "widgets")

	count := 0
	seen := make(map[any]bool)
	for i, c := range nb.Cells() {
		if id, ok := c["id"].(string); !ok || seen[id] {
			c["id"] = fmt.Sprintf("cell-%02d", i+1)
		}
		seen[c["id"]] = true
		if m, ok := c["metadata"].(map[string]any); ok {
			// What a front end remembers about its own view and clock.
			for _, name := range []string{"execution", "ExecuteTime", "collapsed", "scrolled", "vscode"} {
				delete(m, name)
			}
		} else {
			c["metadata"] = map[string]any{}
		}
		if c["cell_type"] != "code" {
			continue
		}
		if strings.TrimSpace(c.Source()) == "" {
			c["execution_count"], c["outputs"] = nil, []any{}
			continue
		}
		count++
		executed := c["execution_count"] != nil
		if executed {
			c["execution_count"] = json.Number(fmt.Sprint(count))
		}
		if list, ok := c["outputs"].([]any); ok {
			c["outputs"] = slices.DeleteFunc(list, empty)
		}
		for _, o := range c.outputs() {
			if _, ok := o["execution_count"]; ok {
				o["execution_count"] = c["execution_count"]
			}
			delete(o, "transient")
			for _, name := range []string{"text", "traceback", "evalue"} {
				if v, ok := o[name]; ok {
					o[name] = cleanAll(v, clean)
				}
			}
			for mime, v := range o.data() {
				if strings.HasPrefix(mime, "text/") {
					o.data()[mime] = cleanAll(v, clean)
				}
			}
		}
	}
}

// empty tells of a display that shows nothing: what is left of a progress
// display that nothing has followed. Whether there was one is a matter of time.
func empty(output any) bool {
	o, _ := output.(map[string]any)
	data, ok := o["data"].(map[string]any)
	for _, v := range data {
		switch v.(type) {
		case string, []any:
			ok = ok && strings.TrimSpace(Text(v)) == ""
		default:
			return false
		}
	}
	return ok
}

func cleanAll(v any, clean func(string) string) any {
	switch v := v.(type) {
	case string:
		return clean(v)
	case []any:
		for i := range v {
			v[i] = cleanAll(v[i], clean)
		}
	}
	return v
}

// kernelFolder is the kernel's working folder and its name for the module of
// the cells: another one for every kernel.
var kernelFolder = regexp.MustCompile(`(/[^\s:"']*/)?gonb_[0-9a-f]{8}\b/?`)

// cleaner returns a function that takes this machine's and this execution's
// folders out of a text.
func cleaner(root string, folders ...string) func(string) string {
	replace := []string{root + "/", "", root, "."}
	for _, f := range folders {
		replace = append(replace, f+"/", "", f, ".")
	}
	r := strings.NewReplacer(replace...)
	return func(s string) string {
		return kernelFolder.ReplaceAllString(r.Replace(s), "")
	}
}
