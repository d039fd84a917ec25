package answer

import (
	"encoding/json"
	"testing"
)

func TestRefusedQuestions(t *testing.T) {
	for page, list := range map[string][]string{
		"tiger": {`{}`, `{"Accuracy": 0.85, "Discount": 1, "Penalty": 100, "Trials": 1}`, `{"Accuracy": 0.85, "Discount": 0.95, "Penalty": 100, "Trials": 1, "More": 1}`, `{`, ``,
			`{"Accuracy": 0.85, "Discount": 0.95, "Penalty": 100, "Trials": 1} {}`, `{"Accuracy": 0.85, "Discount": 0.95, "Penalty": 100, "Trials": 1}]`},
		"room": {`{}`, `{"Rows": ["AB", "S"], "Tiger": 0.5, "Truth": 1, "Discount": 0.95}`, `{"Rows": ["AB", "SA"], "Tiger": 0.5, "Truth": 1, "Discount": 0.95}`, `{"Rows": ["AB", "S?"], "Tiger": 0.5, "Truth": 1, "Discount": 0.95}`},
		"simplex": {`{}`, `{"Boxes": {"Accuracy": 0.7, "Cost": 1, "Discount": 0.9}, "Belief": [0.5, 0.5, 0.5]}`, `{"Boxes": {"Accuracy": 0.7, "Cost": -1, "Discount": 0.9}, "Belief": [0, 0.5, 0.5]}`,
			`{"Chain": {"State": 6, "Spread": 0.3, "Discount": 0.9}, "Belief": [0, 0.5, 0.5]}`},
		"algorithm": {`{}`, `{"Accuracy": 0.85, "Epsilon": 10, "LipQ": 30, "K": 3, "Bound": "fib"}`, `{"Accuracy": 0.85, "Epsilon": 10, "LipQ": 30, "K": 3, "Bound": "qmdp", "Action": 3}`},
		"covers":    {`{}`, `{"Even": {"Parts": 17}, "Epsilon": 1, "Cover": "smallest"}`, `{"Reached": {"Steps": 0}, "Epsilon": 1, "Cover": "smallest"}`, `{"Reached": {"Steps": 5}, "Epsilon": 1, "Cover": "largest-first"}`},
		"lion":      {`{}`},
	} {
		for _, question := range list {
			if answer, err := To(page, []byte(question)); err == nil {
				t.Errorf("%s answers %q: %s", page, question, answer)
			}
		}
	}
}

// Whatever a page is asked, it answers in JSON or says what is wrong.
func FuzzTo(f *testing.F) {
	for page, question := range map[string]string{
		"algorithm": `{"Accuracy": 0.85, "Epsilon": 10, "LipQ": 30, "K": 3, "Bound": "qmdp", "Seed": 1, "Samples": 4, "Left": 0.4, "Action": 1}`,
		"covers":    `{"Even": {"Parts": 8}, "Epsilon": 0.5, "Cover": "largest"}`,
		"room":      `{"Rows": ["*A#", "S.B"], "Tiger": 0.5, "Truth": 0.9, "Discount": 0.9}`,
		"simplex":   `{"Chain": {"State": 5, "Spread": 0.3, "Discount": 0.9}, "Belief": [0, 0.5, 0.5]}`,
		"tiger":     `{"Accuracy": 0.85, "Discount": 0.9, "Penalty": 50, "Trials": 3}`,
	} {
		f.Add(page, []byte(question))
		if _, err := To(page, []byte(question)); err != nil {
			f.Errorf("%s: %v", question, err)
		}
	}
	f.Fuzz(func(t *testing.T, page string, question []byte) {
		if answer, err := To(page, question); err == nil && !json.Valid(answer) {
			t.Errorf("%s answers %q: %s", page, question, answer)
		}
	})
}
