package hidden

import "fmt"

// text writes a vector with few digits.
func text(x []float64) string { return fmt.Sprintf("%.5g", x) }
