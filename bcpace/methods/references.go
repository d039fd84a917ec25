package methods

import (
	"fmt"
	"regexp"
	"strings"

	"bayescpace/bcpace"
)

// Citation is an entry of a bibliography. Its texts are LaTeX in UTF-8: an é is an é, as the plain text of a paragraph
// has names as they stand here. Their braces close in their order, for BibTeX, which counts \{ as a brace, and for LaTeX, which
// does not.
type Citation struct {
	Kind    string   // such as article, inproceedings or misc: letters
	Key     string   // unique, of letters, digits and hyphens; BibTeX does not tell A from a
	Authors []string // "Family, Given", or the name of a group in braces
	Title   string
	Year    int
	Fields  []Field // what else the entry has, such as journal and pages
}

// Field is a further field of a Reference. Its name begins with a letter and has letters,
// digits and hyphens.
type Field struct{ Name, Value string }

// Cited is a Solver that names the papers that it comes from. The solvers of this module need
// not be one. A key that the toolkit has for another paper is an error of Study.Write.
type Cited interface{ References() []Citation }

// BibTeX returns the entry as BibTeX. The title is in double braces, which keep its capitals.
func (r Citation) BibTeX() string {
	var b strings.Builder
	fmt.Fprintf(&b, "@%s{%s,\n  author = {%s},\n  title = {{%s}},\n  year = {%d}", r.Kind, r.Key, strings.Join(r.Authors, " and "), r.Title, r.Year)
	for _, f := range r.Fields {
		fmt.Fprintf(&b, ",\n  %s = {%s}", f.Name, f.Value)
	}
	b.WriteString("\n}\n")
	return b.String()
}

// short names the entry in a text: "Lee et al., 2018".
func (r Citation) short() string {
	switch first := family(r.Authors[0]); len(r.Authors) {
	case 1:
		return fmt.Sprintf("%s, %d", first, r.Year)
	case 2:
		return fmt.Sprintf("%s and %s, %d", first, family(r.Authors[1]), r.Year)
	default:
		return fmt.Sprintf("%s et al., %d", first, r.Year)
	}
}

// What BibTeX reads as a kind, a key and the name of a field.
var (
	kinds      = regexp.MustCompile(`^[A-Za-z]+$`)
	commands   = regexp.MustCompile(`^(?i:comment|preamble|string)$`) // no kinds of entries
	keys       = regexp.MustCompile(`^[A-Za-z0-9-]+$`)
	fieldNames = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9-]*$`)
)

// check returns an *bcpace.InputError if an entry is no BibTeX.
func (r Citation) check() error {
	bad := func(what string, got any, want string) error {
		return bcpace.In(fmt.Sprintf("reference %q", r.Key)).Bad(what, fmt.Sprintf("%q", got), want)
	}
	switch {
	case !kinds.MatchString(r.Kind) || commands.MatchString(r.Kind):
		return bad("Kind", r.Kind, "the kind of an entry, of letters, such as article, inproceedings or misc")
	case !keys.MatchString(r.Key):
		return bad("Key", r.Key, "letters, digits and hyphens")
	case len(r.Authors) == 0:
		return bad("Authors", r.Authors, "at least one author")
	case r.Year < 1:
		return bad("Year", fmt.Sprint(r.Year), "the year of the paper")
	}
	texts := []Field{{"Title", r.Title}}
	for i, a := range r.Authors {
		texts = append(texts, Field{fmt.Sprintf("Authors[%d]", i), a})
	}
	names := map[string]bool{"author": true, "title": true, "year": true}
	for i, f := range r.Fields {
		name := strings.ToLower(f.Name)
		if !fieldNames.MatchString(name) || names[name] {
			return bad(fmt.Sprintf("Fields[%d].Name", i), f.Name, "a name that no other field has, with a letter first and letters, digits and hyphens after it")
		}
		names[name] = true
		texts = append(texts, Field{"the field " + f.Name, f.Value})
	}
	for _, x := range texts {
		if strings.TrimSpace(x.Value) == "" || hasControl(x.Value) || !balanced(x.Value) {
			return bad(x.Name, x.Value, `a text without control characters, with braces that close both for BibTeX, which counts \{ and \} too, and for LaTeX, and with no single \ at its end`)
		}
	}
	return nil
}

// balanced reports whether braces close in their order, those after a backslash counted and
// not counted, and whether no backslash at the end escapes what follows the text.
func balanced(text string) bool {
	all, plain := 0, 0
	escaped := false
	for _, c := range text {
		step := 0
		switch c {
		case '{':
			step = 1
		case '}':
			step = -1
		}
		all += step
		if !escaped {
			plain += step
		}
		if all < 0 || plain < 0 {
			return false
		}
		escaped = c == '\\' && !escaped
	}
	return all == 0 && plain == 0 && !escaped
}

// family is the family of an author, or the name of a group, as text.
func family(author string) string {
	depth, escaped := 0, false
	for i, c := range author {
		switch {
		case escaped:
		case c == '{':
			depth++
		case c == '}':
			depth--
		case c == ',' && depth == 0:
			return plain.Replace(author[:i])
		}
		escaped = c == '\\' && !escaped
	}
	return plain.Replace(author)
}

// plain writes escaped characters, ties and dashes of LaTeX as text, and leaves out braces, which show nothing. Other commands stay.
var plain = strings.NewReplacer(`\&`, "&", `\%`, "%", `\$`, "$", `\#`, "#", `\_`, "_", `\{`, "{", `\}`, "}", "{", "", "}", "", "~", " ", "---", "—", "--", "–")

const (
	paper    = "lee2018"         // the paper that this module is built on
	betting  = "waudbysmith2024" // bounds by simulation
	software = "bayescpace"      // this module
)

// library has the references that solvers cite.
var library = []Citation{
	{"misc", paper, []string{"Lee, Gilwoo", "Choudhury, Sanjiban", "Hou, Brian", "Srinivasa, Siddhartha S."},
		"Bayes-CPACE: PAC Optimal Exploration in Continuous Space Bayes-Adaptive Markov Decision Processes", 2018,
		[]Field{{"eprint", "1810.03048"}, {"archiveprefix", "arXiv"}}},
	{"inproceedings", "smith2005", []string{"Smith, Trey", "Simmons, Reid"},
		"Point-Based POMDP Algorithms: Improved Analysis and Implementation", 2005,
		[]Field{{"booktitle", "Proceedings of the 21st Conference on Uncertainty in Artificial Intelligence (UAI)"}}},
	{"inproceedings", "kurniawati2008", []string{"Kurniawati, Hanna", "Hsu, David", "Lee, Wee Sun"},
		"SARSOP: Efficient Point-Based POMDP Planning by Approximating Optimally Reachable Belief Spaces", 2008,
		[]Field{{"booktitle", "Robotics: Science and Systems IV"}}},
	{"inproceedings", "littman1995", []string{"Littman, Michael L.", "Cassandra, Anthony R.", "Kaelbling, Leslie Pack"},
		"Learning Policies for Partially Observable Environments: Scaling Up", 1995,
		[]Field{{"booktitle", "Proceedings of the Twelfth International Conference on Machine Learning (ICML)"}, {"pages", "362--370"}}},
	{"article", "ong2010", []string{"Ong, Sylvie C. W.", "Png, Shao Wei", "Hsu, David", "Lee, Wee Sun"},
		"Planning under Uncertainty for Robotic Tasks with Mixed Observability", 2010,
		[]Field{{"journal", "The International Journal of Robotics Research"}, {"volume", "29"}, {"number", "8"}, {"pages", "1053--1068"}}},
	{"inproceedings", "pineau2003", []string{"Pineau, Joelle", "Gordon, Geoff", "Thrun, Sebastian"},
		"Point-Based Value Iteration: An Anytime Algorithm for POMDPs", 2003,
		[]Field{{"booktitle", "Proceedings of the 18th International Joint Conference on Artificial Intelligence (IJCAI)"}, {"pages", "1025--1032"}}},
	{"article", "spaan2005", []string{"Spaan, Matthijs T. J.", "Vlassis, Nikos"},
		"Perseus: Randomized Point-based Value Iteration for POMDPs", 2005,
		[]Field{{"journal", "Journal of Artificial Intelligence Research"}, {"volume", "24"}, {"pages", "195--220"}}},
	{"inproceedings", "chen2016", []string{"Chen, Min", "Frazzoli, Emilio", "Hsu, David", "Lee, Wee Sun"},
		"POMDP-lite for Robust Robot Planning under Uncertainty", 2016,
		[]Field{{"booktitle", "IEEE International Conference on Robotics and Automation (ICRA)"}}},
	{"article", "feldbaum1960", []string{"Feldbaum, A. A."},
		"Dual Control Theory. I", 1960,
		[]Field{{"journal", "Automation and Remote Control"}, {"volume", "21"}}},
	{"inproceedings", "silver2010", []string{"Silver, David", "Veness, Joel"},
		"Monte-Carlo Planning in Large POMDPs", 2010,
		[]Field{{"booktitle", "Advances in Neural Information Processing Systems 23"}}},
	{"inproceedings", "guez2012", []string{"Guez, Arthur", "Silver, David", "Dayan, Peter"},
		"Efficient Bayes-Adaptive Reinforcement Learning using Sample-Based Search", 2012,
		[]Field{{"booktitle", "Advances in Neural Information Processing Systems 25"}}},
	{"inproceedings", "keller2013", []string{"Keller, Thomas", "Helmert, Malte"},
		"Trial-based Heuristic Tree Search for Finite Horizon MDPs", 2013,
		[]Field{{"booktitle", "Proceedings of the 23rd International Conference on Automated Planning and Scheduling (ICAPS)"}}},
	{"inproceedings", "ross2007", []string{`Ross, St{\'e}phane`, "Chaib-draa, Brahim"},
		"AEMS: An Anytime Online Search Algorithm for Approximate Policy Refinement in Large POMDPs", 2007,
		[]Field{{"booktitle", "Proceedings of the 20th International Joint Conference on Artificial Intelligence (IJCAI)"}}},
	{"inproceedings", "wu2021", []string{"Wu, Chenyang", "Yang, Guoyu", "Zhang, Zongzhang", "Yu, Yang", "Li, Dong", "Liu, Wulong", "Hao, Jianye"},
		"Adaptive Online Packing-guided Search for POMDPs", 2021,
		[]Field{{"booktitle", "Advances in Neural Information Processing Systems 34"}}},
	{"inproceedings", "somani2013", []string{"Somani, Adhiraj", "Ye, Nan", "Hsu, David", "Lee, Wee Sun"},
		"DESPOT: Online POMDP Planning with Regularization", 2013,
		[]Field{{"booktitle", "Advances in Neural Information Processing Systems 26"}}},
	{"article", "ye2017", []string{"Ye, Nan", "Somani, Adhiraj", "Hsu, David", "Lee, Wee Sun"},
		"DESPOT: Online POMDP Planning with Regularization", 2017,
		[]Field{{"journal", "Journal of Artificial Intelligence Research"}, {"volume", "58"}, {"pages", "231--266"}}},
	{"article", "heidrich2009", []string{"Heidrich-Meisner, Verena", "Igel, Christian"},
		"Neuroevolution Strategies for Episodic Reinforcement Learning", 2009,
		[]Field{{"journal", "Journal of Algorithms"}, {"volume", "64"}, {"number", "4"}, {"pages", "152--168"}}},
	{"inproceedings", "sunberg2018", []string{"Sunberg, Zachary N.", "Kochenderfer, Mykel J."},
		"Online Algorithms for POMDPs with Continuous State, Action, and Observation Spaces", 2018,
		[]Field{{"booktitle", "Proceedings of the 28th International Conference on Automated Planning and Scheduling (ICAPS)"}, {"pages", "259--263"}}},
	{"article", "kearns2002", []string{"Kearns, Michael", "Mansour, Yishay", "Ng, Andrew Y."},
		"A Sparse Sampling Algorithm for Near-Optimal Planning in Large Markov Decision Processes", 2002,
		[]Field{{"journal", "Machine Learning"}, {"volume", "49"}, {"number", "2--3"}, {"pages", "193--208"}}},
	{"article", "thompson1933", []string{"Thompson, William R."},
		"On the Likelihood that One Unknown Probability Exceeds Another in View of the Evidence of Two Samples", 1933,
		[]Field{{"journal", "Biometrika"}, {"volume", "25"}, {"number", "3--4"}, {"pages", "285--294"}}},
	{"inproceedings", "strens2000", []string{"Strens, Malcolm"},
		"A Bayesian Framework for Reinforcement Learning", 2000,
		[]Field{{"booktitle", "Proceedings of the Seventeenth International Conference on Machine Learning (ICML)"}, {"pages", "943--950"}}},
	{"inproceedings", "kolter2009", []string{"Kolter, J. Zico", "Ng, Andrew Y."},
		"Near-Bayesian Exploration in Polynomial Time", 2009,
		[]Field{{"booktitle", "Proceedings of the 26th International Conference on Machine Learning (ICML)"}, {"pages", "513--520"}}},
	{"inproceedings", "asmuth2009", []string{"Asmuth, John", "Li, Lihong", "Littman, Michael L.", "Nouri, Ali", "Wingate, David"},
		"A Bayesian Sampling Approach to Exploration in Reinforcement Learning", 2009,
		[]Field{{"booktitle", "Proceedings of the 25th Conference on Uncertainty in Artificial Intelligence (UAI)"}}},
	{"inproceedings", "castro2010", []string{"Castro, Pablo Samuel", "Precup, Doina"},
		"Smarter Sampling in Model-Based Bayesian Reinforcement Learning", 2010,
		[]Field{{"booktitle", "Machine Learning and Knowledge Discovery in Databases (ECML PKDD)"}}},
	{"inproceedings", "asmuth2011", []string{"Asmuth, John", "Littman, Michael L."},
		"Learning is Planning: Near Bayes-Optimal Reinforcement Learning via Monte-Carlo Tree Search", 2011,
		[]Field{{"booktitle", "Proceedings of the 27th Conference on Uncertainty in Artificial Intelligence (UAI)"}, {"pages", "19--26"}}},
	{"inproceedings", "walsh2010", []string{"Walsh, Thomas J.", "Goschin, Sergiu", "Littman, Michael L."},
		"Integrating Sample-Based Planning and Model-Based Reinforcement Learning", 2010,
		[]Field{{"booktitle", "Proceedings of the 24th AAAI Conference on Artificial Intelligence"}}},
	{"article", betting, []string{"Waudby-Smith, Ian", "Ramdas, Aaditya"},
		"Estimating Means of Bounded Random Variables by Betting", 2024,
		[]Field{{"journal", "Journal of the Royal Statistical Society Series B: Statistical Methodology"}, {"volume", "86"}, {"number", "1"}, {"pages", "1--27"}}},
}
